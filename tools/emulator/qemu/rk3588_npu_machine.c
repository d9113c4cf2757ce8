/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright 2026 The rknpu-ork authors */

/*
 * Machine "rk3588-npu": a board with the RK3588's NPU and just enough around
 * it to boot a distribution kernel from an initramfs.
 *
 * The device tree comes with -dtb (tools/emulator/board/rk3588-npu.dts); the
 * machine trims it to -smp and -m. Addresses and interrupts of the NPU, its
 * MMUs, the power management unit and the GIC are those of the SoC.
 *
 * CPUs start at EL1 and have neither EL2 nor EL3: PSCI is QEMU's, the rest of
 * the firmware that the board needs is in rk3588_scmi.c. The counter runs at
 * 1 GHz, so that under "-icount shift=0" one tick is one instruction.
 */

#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qemu/units.h"
#include "qapi/error.h"
#include "qobject/qlist.h"
#include "exec/address-spaces.h"
#include "hw/arm/boot.h"
#include "hw/arm/bsa.h"
#include "hw/boards.h"
#include "hw/char/pl011.h"
#include "hw/intc/arm_gicv3.h"
#include "hw/core/split-irq.h"
#include "hw/or-irq.h"
#include "hw/clock.h"
#include "hw/i2c/bitbang_i2c.h"
#include "hw/qdev-clock.h"
#include "hw/qdev-properties.h"
#include "hw/sysbus.h"
#include "hw/virtio/virtio-mmio.h"
#include "system/device_tree.h"
#include "system/qtest.h"
#include "system/system.h"
#include "target/arm/cpu.h"
#include "target/arm/gtimer.h"
#include "rk3588_cpu.h"
#include "rk3588_iommu.h"
#include "rk3588_npu_core.h"
#include "rk3588_npu_lines.h"
#include "rk3588_npu_reset.h"
#include "rk3588_pmu.h"
#include "rk3588_scmi.h"
#include "rk8602.h"
#include <libfdt.h>

#define TYPE_RK3588_NPU_MACHINE MACHINE_TYPE_NAME("rk3588-npu")
OBJECT_DECLARE_SIMPLE_TYPE(RK3588NpuMachineState, RK3588_NPU_MACHINE)

#define MAX_CPUS 8
#define NUM_SPIS 480

/* As on the SoC, devices fill the last 256 MiB below 4 GiB. */
#define LOW_RAM_BYTES 0xf0000000ull
#define HIGH_RAM_BASE 0x100000000ull

#define LINES_BASE  0xfd7c0000ull
#define RESET_BASE  0xfd7d0000ull
#define PMU_BASE    0xfd8d8000ull
#define GICD_BASE   0xfe600000ull
#define GICR_BASE   0xfe680000ull
#define UART_BASE   0xfeb50000ull
#define VIRTIO_BASE 0xff100000ull

#define VIRTIO_STRIDE     0x1000
#define VIRTIO_TRANSPORTS 4
#define UART_SPI          333
#define VIRTIO_FIRST_SPI  400

/*
 * Lines that gate the NPU's bus clocks; pclk reaches no part of the NPU that is
 * modelled. One more line chooses between the two settings of the NPU's supply.
 * The next ones make the firmware refuse what it is asked for, the MMU of a core
 * ignore its commands, and the supply its bus. Two are that bus, and the last one
 * makes the MMUs interrupt for no reason.
 */
#define ACLK_LINE(core) (core)
#define HCLK_LINE(core) (RK3588_NPU_CORES + (core))
#define VSEL_LINE       7
#define REFUSE_LINE(n)  (8 + (n))
#define DEAF_LINE(core) (8 + RK3588_SCMI_REFUSALS + (core))
#define DEAF_VDD_LINE   DEAF_LINE(RK3588_NPU_CORES)
#define SCL_LINE        14
#define STRAY_LINE      16

/* Where boards have it. */
#define VDD_I2C_ADDRESS 0x42

/* Interrupt of a core and its MMU, register window, MMU banks within it. */
static const struct {
    hwaddr base;
    unsigned int spi;
    unsigned int num_banks;
    hwaddr bank_offset[RK3588_IOMMU_MAX_BANKS];
} npu_map[RK3588_NPU_CORES] = {
    { 0xfdab0000, 110, 2, { 0x9000, 0xa000 } },
    { 0xfdac0000, 111, 1, { 0xa000 } },
    { 0xfdad0000, 112, 1, { 0xa000 } },
};

struct RK3588NpuMachineState {
    MachineState parent_obj;

    struct arm_boot_info boot;
    ARMCPU *cpu[MAX_CPUS];
    DeviceState *gic;
    DeviceState *scmi; /* has the compute clock that the cores share */
    MemoryRegion low_ram;
    MemoryRegion high_ram;

    /* Modes of the NPU, see Documentation/emulator.rst. */
    bool strict;
    bool timing;
    uint64_t chaos;
    uint32_t broken_resets;
    uint32_t failing_page;
    uint32_t npu_mhz;
    uint32_t attach_ns;
    uint32_t dma_bytes_per_cycle;
    uint32_t task_cycles;
    uint32_t kick_cycles;
    char *job_log;
};

/* Like DynamIQ cores: affinity level 1 numbers them, level 0 their threads. */
static uint64_t cpu_affinity(unsigned int index)
{
    return index << 8;
}

static qemu_irq spi(RK3588NpuMachineState *m, unsigned int number)
{
    return qdev_get_gpio_in(m->gic, number);
}

static void create_ram(RK3588NpuMachineState *m)
{
    MachineState *machine = MACHINE(m);
    uint64_t low_bytes = MIN(machine->ram_size, LOW_RAM_BYTES);
    uint64_t high_bytes = machine->ram_size - low_bytes;
    MemoryRegion *sysmem = get_system_memory();

    memory_region_init_alias(&m->low_ram, OBJECT(m), "low-ram", machine->ram,
                             0, low_bytes);
    memory_region_add_subregion(sysmem, 0, &m->low_ram);
    if (high_bytes) {
        memory_region_init_alias(&m->high_ram, OBJECT(m), "high-ram",
                                 machine->ram, low_bytes, high_bytes);
        memory_region_add_subregion(sysmem, HIGH_RAM_BASE, &m->high_ram);
    }
}

static void create_firmware(RK3588NpuMachineState *m)
{
    m->scmi = qdev_new(TYPE_RK3588_SCMI);
    qdev_prop_set_uint64(m->scmi, "boot-hz", m->npu_mhz * 1000000ull);
    sysbus_realize_and_unref(SYS_BUS_DEVICE(m->scmi), &error_fatal);
}

static void create_cpus(RK3588NpuMachineState *m)
{
    MachineState *machine = MACHINE(m);

    for (unsigned int i = 0; i < machine->smp.cpus; i++) {
        Object *cpu = object_new(machine->cpu_type);

        object_property_add_child(OBJECT(m), "cpu[*]", cpu);
        object_property_set_uint(cpu, "mp-affinity", cpu_affinity(i),
                                 &error_abort);
        object_property_set_uint(cpu, "cntfrq", NANOSECONDS_PER_SECOND,
                                 &error_abort);
        object_property_set_bool(cpu, "has_el2", false, &error_abort);
        object_property_set_bool(cpu, "has_el3", false, &error_abort);
        object_property_set_link(cpu, "scmi", OBJECT(m->scmi), &error_abort);
        qdev_realize(DEVICE(cpu), NULL, &error_fatal);
        m->cpu[i] = ARM_CPU(cpu);
        object_unref(cpu);
    }
}

static void connect_cpu(RK3588NpuMachineState *m, unsigned int index)
{
    static const int timer_intid[] = {
        [GTIMER_PHYS] = ARCH_TIMER_NS_EL1_IRQ,
        [GTIMER_VIRT] = ARCH_TIMER_VIRT_IRQ,
    };
    DeviceState *cpu = DEVICE(m->cpu[index]);

    for (unsigned int i = 0; i < ARRAY_SIZE(timer_intid); i++) {
        int ppi = NUM_SPIS + index * GIC_INTERNAL + timer_intid[i];

        qdev_connect_gpio_out(cpu, i, qdev_get_gpio_in(m->gic, ppi));
    }
    sysbus_connect_irq(SYS_BUS_DEVICE(m->gic), index,
                       qdev_get_gpio_in(cpu, ARM_CPU_IRQ));
}

static void create_gic(RK3588NpuMachineState *m)
{
    unsigned int cpus = MACHINE(m)->smp.cpus;
    QList *redist_region_count = qlist_new();
    SysBusDevice *sbd;

    m->gic = qdev_new(TYPE_ARM_GICV3);
    object_property_add_child(OBJECT(m), "gic", OBJECT(m->gic));
    sbd = SYS_BUS_DEVICE(m->gic);
    qdev_prop_set_uint32(m->gic, "num-cpu", cpus);
    qdev_prop_set_uint32(m->gic, "num-irq", NUM_SPIS + GIC_INTERNAL);
    qlist_append_int(redist_region_count, cpus);
    qdev_prop_set_array(m->gic, "redist-region-count", redist_region_count);
    sysbus_realize_and_unref(sbd, &error_fatal);
    sysbus_mmio_map(sbd, 0, GICD_BASE);
    sysbus_mmio_map(sbd, 1, GICR_BASE);
    for (unsigned int i = 0; i < cpus; i++) {
        connect_cpu(m, i);
    }
}

static DeviceState *create_iommu(RK3588NpuMachineState *m, unsigned int index)
{
    DeviceState *dev = qdev_new(TYPE_RK3588_IOMMU);

    qdev_prop_set_uint32(dev, "core", index);
    qdev_prop_set_uint32(dev, "num-banks", npu_map[index].num_banks);
    qdev_prop_set_uint32(dev, "failing-page", m->failing_page);
    sysbus_realize_and_unref(SYS_BUS_DEVICE(dev), &error_fatal);
    for (unsigned int i = 0; i < npu_map[index].num_banks; i++) {
        /* The banks lie inside the core's window. */
        sysbus_mmio_map_overlap(SYS_BUS_DEVICE(dev), i, npu_map[index].base +
                                npu_map[index].bank_offset[i], 1);
    }
    return dev;
}

static DeviceState *create_core(RK3588NpuMachineState *m, unsigned int index,
                                DeviceState *iommu)
{
    DeviceState *dev = qdev_new(TYPE_RK3588_NPU_CORE);

    object_property_add_child(OBJECT(m), "npu-core[*]", OBJECT(dev));
    qdev_prop_set_uint32(dev, "index", index);
    qdev_prop_set_bit(dev, "strict", m->strict);
    qdev_prop_set_bit(dev, "timing", m->timing);
    qdev_prop_set_uint64(dev, "chaos", m->chaos);
    qdev_connect_clock_in(dev, "clk", qdev_get_clock_out(m->scmi, "npu"));
    qdev_prop_set_uint32(dev, "attach-ns", m->attach_ns);
    qdev_prop_set_uint32(dev, "dma-bytes-per-cycle", m->dma_bytes_per_cycle);
    qdev_prop_set_uint32(dev, "task-cycles", m->task_cycles);
    qdev_prop_set_uint32(dev, "kick-cycles", m->kick_cycles);
    if (m->job_log) {
        qdev_prop_set_string(dev, "job-log", m->job_log);
    }
    object_property_set_link(OBJECT(dev), "iommu", OBJECT(iommu),
                             &error_abort);
    sysbus_realize_and_unref(SYS_BUS_DEVICE(dev), &error_fatal);
    sysbus_mmio_map(SYS_BUS_DEVICE(dev), 0, npu_map[index].base);
    return dev;
}

/* A core and its MMU share one interrupt. */
static void connect_npu_irqs(RK3588NpuMachineState *m, unsigned int index,
                             DeviceState *core, DeviceState *iommu)
{
    DeviceState *either = qdev_new(TYPE_OR_IRQ);

    qdev_prop_set_uint16(either, "num-lines", 2);
    qdev_realize_and_unref(either, NULL, &error_fatal);
    sysbus_connect_irq(SYS_BUS_DEVICE(core), 0, qdev_get_gpio_in(either, 0));
    sysbus_connect_irq(SYS_BUS_DEVICE(iommu), 0, qdev_get_gpio_in(either, 1));
    qdev_connect_gpio_out(either, 0, spi(m, npu_map[index].spi));
}

/* One line that reaches several devices. */
static void fan_out(DeviceState *source, unsigned int line, const char *name,
                    DeviceState **targets, unsigned int count)
{
    DeviceState *split = qdev_new(TYPE_SPLIT_IRQ);

    qdev_prop_set_uint16(split, "num-lines", count);
    qdev_realize_and_unref(split, NULL, &error_fatal);
    for (unsigned int i = 0; i < count; i++) {
        qdev_connect_gpio_out(split, i,
                              qdev_get_gpio_in_named(targets[i], name, 0));
    }
    qdev_connect_gpio_out(source, line, qdev_get_gpio_in(split, 0));
}

static DeviceState *create_reset(RK3588NpuMachineState *m)
{
    DeviceState *dev = qdev_new(TYPE_RK3588_NPU_RESET);

    qdev_prop_set_bit(dev, "strict", m->strict);
    qdev_prop_set_uint32(dev, "broken", m->broken_resets);
    sysbus_realize_and_unref(SYS_BUS_DEVICE(dev), &error_fatal);
    sysbus_mmio_map(SYS_BUS_DEVICE(dev), 0, RESET_BASE);
    return dev;
}

/* An I2C bus of two lines, with the supply of the NPU. */
static void create_supply(RK3588NpuMachineState *m, DeviceState *lines)
{
    DeviceState *master = sysbus_create_simple(TYPE_GPIO_I2C, -1, NULL);
    I2CBus *bus = I2C_BUS(qdev_get_child_bus(master, "i2c"));
    DeviceState *vdd = DEVICE(i2c_slave_create_simple(bus, TYPE_RK8602,
                                                      VDD_I2C_ADDRESS));

    qdev_connect_gpio_out(lines, RK3588_NPU_LINES_SDA,
                          qdev_get_gpio_in(master, BITBANG_I2C_SDA));
    qdev_connect_gpio_out(lines, SCL_LINE,
                          qdev_get_gpio_in(master, BITBANG_I2C_SCL));
    qdev_connect_gpio_out(master, 0, qdev_get_gpio_in_named(lines, "sda", 0));
    qdev_connect_gpio_out(lines, VSEL_LINE,
                          qdev_get_gpio_in_named(vdd, "vsel", 0));
    qdev_connect_gpio_out(lines, DEAF_VDD_LINE,
                          qdev_get_gpio_in_named(vdd, "deaf", 0));
    qdev_connect_gpio_out(vdd, 0, qdev_get_gpio_in_named(m->scmi, "vdd", 0));
}

static void create_npu(RK3588NpuMachineState *m)
{
    DeviceState *reset = create_reset(m);
    DeviceState *pmu = sysbus_create_simple(TYPE_RK3588_PMU, PMU_BASE, NULL);
    DeviceState *lines = sysbus_create_simple(TYPE_RK3588_NPU_LINES, LINES_BASE,
                                              NULL);
    DeviceState *cores[RK3588_NPU_CORES], *iommus[RK3588_NPU_CORES];

    for (unsigned int i = 0; i < RK3588_NPU_CORES; i++) {
        DeviceState *iommu = create_iommu(m, i);
        DeviceState *core = create_core(m, i, iommu);
        DeviceState *both[] = { core, iommu };
        DeviceState *island[] = { core, iommu, m->scmi };

        cores[i] = core;
        iommus[i] = iommu;
        connect_npu_irqs(m, i, core, iommu);
        /* The oscillator of the compute clock is in core 0's domain. */
        fan_out(pmu, i, "power", island, i == 0 ? 3 : 2);
        fan_out(lines, HCLK_LINE(i), "hclk", both, ARRAY_SIZE(both));
        qdev_connect_gpio_out(lines, ACLK_LINE(i),
                              qdev_get_gpio_in_named(core, "aclk", 0));
        qdev_connect_gpio_out(reset, i,
                              qdev_get_gpio_in_named(core, "reset", 0));
        qdev_connect_gpio_out(lines, DEAF_LINE(i),
                              qdev_get_gpio_in_named(iommu, "deaf", 0));
    }
    fan_out(m->scmi, 0, "clk", cores, ARRAY_SIZE(cores));
    fan_out(lines, STRAY_LINE, "stray", iommus, ARRAY_SIZE(iommus));
    create_supply(m, lines);
    for (unsigned int i = 0; i < RK3588_SCMI_REFUSALS; i++) {
        qdev_connect_gpio_out(lines, REFUSE_LINE(i),
                              qdev_get_gpio_in_named(m->scmi, "refuse", i));
    }
}

static void create_virtio(RK3588NpuMachineState *m)
{
    for (unsigned int i = 0; i < VIRTIO_TRANSPORTS; i++) {
        DeviceState *dev = qdev_new(TYPE_VIRTIO_MMIO);
        SysBusDevice *sbd = SYS_BUS_DEVICE(dev);

        qdev_prop_set_bit(dev, "force-legacy", false);
        sysbus_realize_and_unref(sbd, &error_fatal);
        sysbus_mmio_map(sbd, 0, VIRTIO_BASE + i * VIRTIO_STRIDE);
        sysbus_connect_irq(sbd, 0, spi(m, VIRTIO_FIRST_SPI + i));
    }
}

static void remove_absent_cpus(const RK3588NpuMachineState *m, void *fdt)
{
    for (unsigned int i = MACHINE(m)->smp.cpus; i < MAX_CPUS; i++) {
        g_autofree char *path = g_strdup_printf("/cpus/cpu@%" PRIx64,
                                                cpu_affinity(i));

        if (fdt_path_offset(fdt, path) >= 0) {
            qemu_fdt_nop_node(fdt, path);
        }
    }
}

/* arm_load_dtb() has described the low part. */
static void add_high_ram(const RK3588NpuMachineState *m, void *fdt)
{
    g_autofree char *path = g_strdup_printf("/memory@%llx", HIGH_RAM_BASE);

    if (MACHINE(m)->ram_size <= LOW_RAM_BYTES) {
        return;
    }
    qemu_fdt_add_subnode(fdt, path);
    qemu_fdt_setprop_string(fdt, path, "device_type", "memory");
    qemu_fdt_setprop_sized_cells(fdt, path, "reg", 2, HIGH_RAM_BASE, 2,
                                 MACHINE(m)->ram_size - LOW_RAM_BYTES);
}

static void modify_dtb(const struct arm_boot_info *info, void *fdt)
{
    const RK3588NpuMachineState *m =
        container_of(info, RK3588NpuMachineState, boot);

    remove_absent_cpus(m, fdt);
    add_high_ram(m, fdt);
}

static void load_kernel(RK3588NpuMachineState *m)
{
    MachineState *machine = MACHINE(m);

    if (machine->kernel_filename && !machine->dtb) {
        error_report("machine rk3588-npu boots a kernel with -dtb only");
        exit(EXIT_FAILURE);
    }
    m->boot = (struct arm_boot_info) {
        .loader_start = 0,
        .ram_size = MIN(machine->ram_size, LOW_RAM_BYTES),
        .board_id = -1,
        .psci_conduit = QEMU_PSCI_CONDUIT_SMC,
        .modify_dtb = modify_dtb,
    };
    arm_load_kernel(m->cpu[0], machine, &m->boot);
}

static void machine_init(MachineState *machine)
{
    RK3588NpuMachineState *m = RK3588_NPU_MACHINE(machine);

    if (!m->npu_mhz) {
        error_report("npu-mhz must not be 0");
        exit(EXIT_FAILURE);
    }
    create_ram(m);
    create_firmware(m);
    create_cpus(m);
    create_gic(m);
    pl011_create(UART_BASE, spi(m, UART_SPI), serial_hd(0));
    create_virtio(m);
    create_npu(m);
    if (!qtest_enabled()) {
        load_kernel(m);
    }
}

static bool get_strict(Object *obj, Error **errp)
{
    return RK3588_NPU_MACHINE(obj)->strict;
}

static void set_strict(Object *obj, bool value, Error **errp)
{
    RK3588_NPU_MACHINE(obj)->strict = value;
}

static bool get_timing(Object *obj, Error **errp)
{
    return RK3588_NPU_MACHINE(obj)->timing;
}

static void set_timing(Object *obj, bool value, Error **errp)
{
    RK3588_NPU_MACHINE(obj)->timing = value;
}

static char *get_job_log(Object *obj, Error **errp)
{
    return g_strdup(RK3588_NPU_MACHINE(obj)->job_log);
}

static void set_job_log(Object *obj, const char *value, Error **errp)
{
    RK3588NpuMachineState *m = RK3588_NPU_MACHINE(obj);

    g_free(m->job_log);
    m->job_log = g_strdup(value);
}

static void add_figure(Object *obj, const char *name, uint32_t *value,
                       const char *description)
{
    object_property_add_uint32_ptr(obj, name, value, OBJ_PROP_FLAG_READWRITE);
    object_property_set_description(obj, name, description);
}

static void add_mode_properties(Object *obj)
{
    RK3588NpuMachineState *m = RK3588_NPU_MACHINE(obj);

    m->npu_mhz = 200;
    m->attach_ns = 15000;
    object_property_add_uint64_ptr(obj, "chaos", &m->chaos,
                                   OBJ_PROP_FLAG_READWRITE);
    object_property_set_description(obj, "chaos", "seed of what hardware may"
                                    " do and seldom does; 0 turns it off");
    add_figure(obj, "broken-resets", &m->broken_resets,
               "mask of cores that their reset lines do not reach");
    add_figure(obj, "failing-page", &m->failing_page,
               "address of a page of the NPU that has no memory behind it");
    add_figure(obj, "npu-mhz", &m->npu_mhz,
               "rate of the compute clock at power on");
    add_figure(obj, "attach-ns", &m->attach_ns,
               "time of the first task after an MMU was set up");
    add_figure(obj, "dma-bytes-per-cycle", &m->dma_bytes_per_cycle,
               "memory traffic; 0 for the model's own figure");
    add_figure(obj, "task-cycles", &m->task_cycles,
               "fixed cost of a task; 0 for the model's own figure");
    add_figure(obj, "kick-cycles", &m->kick_cycles,
               "fixed cost of a chain; 0 for the model's own figure");
}

static void machine_class_init(ObjectClass *klass, void *data)
{
    static const char * const valid_cpu_types[] = {
        TYPE_RK3588_CPU,
        NULL
    };
    MachineClass *mc = MACHINE_CLASS(klass);

    mc->desc = "RK3588 NPU with Cortex-A76 CPUs";
    mc->init = machine_init;
    mc->max_cpus = MAX_CPUS;
    mc->default_cpu_type = TYPE_RK3588_CPU;
    mc->valid_cpu_types = valid_cpu_types;
    mc->default_ram_size = 2 * GiB;
    mc->default_ram_id = "rk3588-npu.ram";
    mc->no_cdrom = 1;
    mc->no_floppy = 1;
    mc->no_parallel = 1;

    object_class_property_add_bool(klass, "strict", get_strict, set_strict);
    object_class_property_set_description(klass, "strict",
        "report what works by luck only");
    object_class_property_add_bool(klass, "timing", get_timing, set_timing);
    object_class_property_set_description(klass, "timing",
        "tasks take the time that silicon would take");
    object_class_property_add_str(klass, "job-log", get_job_log, set_job_log);
    object_class_property_set_description(klass, "job-log",
        "file to append a line of JSON per task to");
}

static const TypeInfo machine_type = {
    .name = TYPE_RK3588_NPU_MACHINE,
    .parent = TYPE_MACHINE,
    .instance_size = sizeof(RK3588NpuMachineState),
    .instance_init = add_mode_properties,
    .class_init = machine_class_init,
};

static void machine_register_types(void)
{
    type_register_static(&machine_type);
}
type_init(machine_register_types)
