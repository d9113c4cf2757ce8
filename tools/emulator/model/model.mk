MODEL_SRCS := \
	tools/emulator/model/npu_conv.c \
	tools/emulator/model/npu_core.c \
	tools/emulator/model/npu_dpu.c \
	tools/emulator/model/npu_feature.c \
	tools/emulator/model/npu_mac.c \
	tools/emulator/model/npu_output.c \
	tools/emulator/model/npu_pc.c \
	tools/emulator/model/npu_pending.c \
	tools/emulator/model/npu_plan.c \
	tools/emulator/model/npu_port.c \
	tools/emulator/model/npu_regmap.c \
	tools/emulator/model/npu_task.c \
	tools/emulator/model/npu_weight.c
