MODEL_SRCS := \
	tools/emulator/model/npu_cbuf.c \
	tools/emulator/model/npu_conv.c \
	tools/emulator/model/npu_core.c \
	tools/emulator/model/npu_depthwise.c \
	tools/emulator/model/npu_eltwise.c \
	tools/emulator/model/npu_feature.c \
	tools/emulator/model/npu_fp.c \
	tools/emulator/model/npu_mac.c \
	tools/emulator/model/npu_mac_int.c \
	tools/emulator/model/npu_mac_plain.c \
	tools/emulator/model/npu_mac_real.c \
	tools/emulator/model/npu_output.c \
	tools/emulator/model/npu_patch.c \
	tools/emulator/model/npu_pc.c \
	tools/emulator/model/npu_pending.c \
	tools/emulator/model/npu_plan.c \
	tools/emulator/model/npu_plan_cbuf.c \
	tools/emulator/model/npu_plan_dpu.c \
	tools/emulator/model/npu_plan_rdma.c \
	tools/emulator/model/npu_plan_stages.c \
	tools/emulator/model/npu_port.c \
	tools/emulator/model/npu_rdma.c \
	tools/emulator/model/npu_regmap.c \
	tools/emulator/model/npu_stages.c \
	tools/emulator/model/npu_task.c \
	tools/emulator/model/npu_type.c \
	tools/emulator/model/npu_weight.c
