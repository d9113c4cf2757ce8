/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright 2026 The rknpu-ork authors */

/*
 * Firmware calls that QEMU's PSCI does not know: SCMI by SMC and, as Linux
 * makes no other calls before it has seen it, the version of the calling
 * convention. The rest goes to QEMU.
 */

#include "qemu/osdep.h"
#include "qemu/module.h"
#include "accel/tcg/cpu-ops.h"
#include "hw/qdev-properties.h"
#include "system/runstate.h"
#include "target/arm/arm-powerctl.h"
#include "target/arm/multiprocessing.h"
#include "rk3588_cpu.h"

#define SMCCC_VERSION     0x80000000u
#define SMCCC_VERSION_1_1 0x10001
#define PSCI_FEATURES     0x8400000au
#define ROCKCHIP_SCMI     0x82000010u

static TCGCPUOps cpu_ops;
static void (*cpu_parent_do_interrupt)(CPUState *cs);

/* On silicon the machine hangs until somebody cuts its power. */
static void firmware_hangs(RK3588CpuState *s)
{
    arm_set_cpu_off(arm_cpu_mp_affinity(&s->parent_obj));
    qemu_system_shutdown_request(SHUTDOWN_CAUSE_GUEST_PANIC);
}

/* Returns false if the call is not one of ours. */
static bool firmware_call(RK3588CpuState *s)
{
    uint64_t *x = s->parent_obj.env.xregs;

    switch ((uint32_t)x[0]) {
    case SMCCC_VERSION:
        x[0] = SMCCC_VERSION_1_1;
        return true;
    case PSCI_FEATURES:
        if ((uint32_t)x[1] != SMCCC_VERSION) {
            return false;
        }
        x[0] = 0;
        return true;
    case ROCKCHIP_SCMI:
        if (rk3588_scmi_call(s->scmi)) {
            x[0] = 0;
        } else {
            firmware_hangs(s);
        }
        return true;
    default:
        return false;
    }
}

static void cpu_do_interrupt(CPUState *cs)
{
    if (cs->exception_index != EXCP_SMC || !firmware_call(RK3588_CPU(cs))) {
        cpu_parent_do_interrupt(cs);
    }
}

static const Property cpu_properties[] = {
    DEFINE_PROP_LINK("scmi", RK3588CpuState, scmi, TYPE_RK3588_SCMI,
                     RK3588ScmiState *),
};

static void cpu_class_init(ObjectClass *klass, void *data)
{
    CPUClass *cc = CPU_CLASS(klass);

    cpu_ops = *cc->tcg_ops;
    cpu_parent_do_interrupt = cpu_ops.do_interrupt;
    cpu_ops.do_interrupt = cpu_do_interrupt;
    cc->tcg_ops = &cpu_ops;
    device_class_set_props(DEVICE_CLASS(klass), cpu_properties);
}

static const TypeInfo cpu_type = {
    .name = TYPE_RK3588_CPU,
    .parent = ARM_CPU_TYPE_NAME("cortex-a76"),
    .instance_size = sizeof(RK3588CpuState),
    .class_init = cpu_class_init,
};

static void cpu_register_types(void)
{
    type_register_static(&cpu_type);
}
type_init(cpu_register_types)
