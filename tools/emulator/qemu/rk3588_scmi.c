/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright 2026 The rknpu-ork authors */

/*
 * The part of the RK3588's firmware that owns the NPU's compute clock.
 *
 * It speaks SCMI: the guest puts a message into shared memory and executes an
 * SMC (rk3588_cpu.c). Of the SoC's eight clocks only the NPU's, number 6, is
 * there. Its rates are a range, as the firmware has no table of them.
 *
 * Above the parked rate the clock comes from an oscillator inside the NPU's
 * power domain. So the firmware hangs when it is to set such a rate with the
 * domain off, and the domain must not go off at such a rate. The firmware does
 * not care for the voltage; who sets the rate has to.
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qemu/bswap.h"
#include "qemu/error-report.h"
#include "qemu/module.h"
#include "exec/address-spaces.h"
#include "hw/irq.h"
#include "hw/qdev-clock.h"
#include "hw/qdev-properties.h"
#include "migration/vmstate.h"
#include "rk3588_scmi.h"

#define SHMEM_BASE  0x10f000
#define SHMEM_BYTES 0x100

/* Words of the shared memory. */
enum {
    SHMEM_STATUS  = 1, /* bit 0: free for the next message */
    SHMEM_LENGTH  = 5, /* bytes from the header on */
    SHMEM_HEADER  = 6,
    SHMEM_PAYLOAD = 7,
    SHMEM_WORDS   = SHMEM_BYTES / 4,
};

#define PAYLOAD_WORDS (SHMEM_WORDS - SHMEM_PAYLOAD)

enum {
    SCMI_SUCCESS            = 0,
    SCMI_NOT_SUPPORTED      = -1,
    SCMI_INVALID_PARAMETERS = -2,
    SCMI_NOT_FOUND          = -4,
    SCMI_HARDWARE_ERROR     = -9,
};

#define PROTOCOL_BASE  0x10
#define PROTOCOL_CLOCK 0x14

/* Messages that every protocol has. */
enum {
    PROTOCOL_VERSION            = 0,
    PROTOCOL_ATTRIBUTES         = 1,
    PROTOCOL_MESSAGE_ATTRIBUTES = 2,
};

enum {
    BASE_DISCOVER_VENDOR         = 3,
    BASE_DISCOVER_SUB_VENDOR     = 4,
    BASE_DISCOVER_IMPLEMENTATION = 5,
    BASE_DISCOVER_PROTOCOLS      = 6,
    BASE_DISCOVER_AGENT          = 7,
};

enum {
    CLOCK_ATTRIBUTES     = 3,
    CLOCK_DESCRIBE_RATES = 4,
    CLOCK_RATE_SET       = 5,
    CLOCK_RATE_GET       = 6,
    CLOCK_CONFIG_SET     = 7,
};

#define BASE_VERSION     0x20000 /* of SCMI 2.0, as is the next */
#define CLOCK_VERSION    0x10000
#define NAME_BYTES       16
#define NUM_CLOCKS       8
#define CLOCK_NPU        6
#define RATES_ARE_RANGE  BIT(12)
#define CONFIG_ENABLE    BIT(0)

/* What the range is on silicon depends on the chip; these are its limits. */
#define PARKED_HZ 200000000ull
#define MAX_HZ    1000000000ull
#define STEP_HZ   1000000ull

/*
 * Operating points of the vendor for the weakest chips: 700 MHz at 0.7 V, from
 * there on 2 kHz more for each microvolt. It has none below. There the parked
 * rate passes: Linux has domains on before and after their drivers have supplies.
 */
#define VDD_MIN_UV     700000
#define VDD_MIN_MAX_HZ 700000000ull
#define VDD_HZ_PER_UV  2000ull

/* Until the supply says what it has. */
#define VDD_BOOT_UV 850000

/* A message's parameters come in words[], which its return values replace. */
typedef struct Message {
    uint32_t words[PAYLOAD_WORDS];
    unsigned int returned; /* words */
    bool hangs;
} Message;

static void put_word(Message *m, uint32_t value)
{
    m->words[m->returned++] = value;
}

static void put_rate(Message *m, uint64_t hz)
{
    put_word(m, hz);
    put_word(m, hz >> 32);
}

static void put_name(Message *m, const char *name)
{
    char padded[NAME_BYTES] = { 0 };

    memcpy(padded, name, MIN(strlen(name), NAME_BYTES - 1));
    for (unsigned int i = 0; i < NAME_BYTES; i += 4) {
        put_word(m, ldl_le_p(padded + i));
    }
}

static int base_message(Message *m, unsigned int id)
{
    switch (id) {
    case PROTOCOL_VERSION:
        put_word(m, BASE_VERSION);
        return SCMI_SUCCESS;
    case PROTOCOL_ATTRIBUTES:
        put_word(m, 1 | 1 << 8); /* one protocol besides this, one agent */
        return SCMI_SUCCESS;
    case BASE_DISCOVER_VENDOR:
        put_name(m, "rockchip");
        return SCMI_SUCCESS;
    case BASE_DISCOVER_SUB_VENDOR:
        put_name(m, "rknpu-ork");
        return SCMI_SUCCESS;
    case BASE_DISCOVER_IMPLEMENTATION:
        put_word(m, 0);
        return SCMI_SUCCESS;
    case BASE_DISCOVER_PROTOCOLS:
        put_word(m, 1);
        put_word(m, PROTOCOL_CLOCK);
        return SCMI_SUCCESS;
    case BASE_DISCOVER_AGENT:
        put_word(m, 0);
        put_name(m, "OSPM");
        return SCMI_SUCCESS;
    default:
        return SCMI_NOT_SUPPORTED;
    }
}

static uint64_t max_hz_of_voltage(int uv)
{
    return uv < VDD_MIN_UV ? PARKED_HZ :
           VDD_MIN_MAX_HZ + (uv - VDD_MIN_UV) * VDD_HZ_PER_UV;
}

static void check_voltage(const RK3588ScmiState *s)
{
    if (s->hz > max_hz_of_voltage(s->vdd_uv)) {
        error_printf("npu: clock: %" PRIu64 " Hz at %d uV\n", s->hz,
                     s->vdd_uv);
    }
}

static int set_rate(RK3588ScmiState *s, Message *m, uint64_t hz)
{
    if (hz < PARKED_HZ || hz > MAX_HZ) {
        return SCMI_INVALID_PARAMETERS;
    }
    if (s->refuses[RK3588_SCMI_REFUSE_RATE]) {
        return SCMI_HARDWARE_ERROR;
    }
    hz -= hz % STEP_HZ;
    if (hz > PARKED_HZ && !s->powered) {
        error_printf("npu: clock: %" PRIu64 " Hz set with the power domain"
                     " off hangs the firmware\n", hz);
        m->hangs = true;
    }
    s->hz = hz;
    clock_update_hz(s->npu, hz);
    check_voltage(s);
    return SCMI_SUCCESS;
}

static int set_config(RK3588ScmiState *s, uint32_t attributes)
{
    if (attributes & CONFIG_ENABLE && s->refuses[RK3588_SCMI_REFUSE_GATE]) {
        return SCMI_HARDWARE_ERROR;
    }
    s->enabled = attributes & CONFIG_ENABLE;
    qemu_set_irq(s->gate, s->enabled);
    return SCMI_SUCCESS;
}

static int clock_message(RK3588ScmiState *s, Message *m, unsigned int id)
{
    const uint32_t *in = m->words;
    uint32_t clock = in[id == CLOCK_RATE_SET ? 1 : 0];

    if (id == PROTOCOL_VERSION) {
        put_word(m, CLOCK_VERSION);
        return SCMI_SUCCESS;
    }
    if (id == PROTOCOL_ATTRIBUTES) {
        put_word(m, NUM_CLOCKS);
        return SCMI_SUCCESS;
    }
    if (id < CLOCK_ATTRIBUTES || id > CLOCK_CONFIG_SET) {
        return SCMI_NOT_SUPPORTED;
    }
    if (clock != CLOCK_NPU) {
        return SCMI_NOT_FOUND;
    }

    switch (id) {
    case CLOCK_ATTRIBUTES:
        put_word(m, s->enabled);
        put_name(m, "scmi_clk_npu");
        return SCMI_SUCCESS;
    case CLOCK_DESCRIBE_RATES:
        put_word(m, 3 | RATES_ARE_RANGE);
        put_rate(m, PARKED_HZ);
        put_rate(m, MAX_HZ);
        put_rate(m, STEP_HZ);
        return SCMI_SUCCESS;
    case CLOCK_RATE_SET:
        return set_rate(s, m, in[2] | (uint64_t)in[3] << 32);
    case CLOCK_RATE_GET:
        put_rate(m, s->hz);
        return SCMI_SUCCESS;
    default:
        return set_config(s, in[1]);
    }
}

static int handle_message(RK3588ScmiState *s, Message *m, uint32_t header)
{
    unsigned int id = extract32(header, 0, 8);
    unsigned int protocol = extract32(header, 10, 8);
    bool is_clock = protocol == PROTOCOL_CLOCK;
    unsigned int last = is_clock ? CLOCK_CONFIG_SET : BASE_DISCOVER_AGENT;

    if (!is_clock && protocol != PROTOCOL_BASE) {
        return SCMI_NOT_SUPPORTED;
    }
    if (id == PROTOCOL_MESSAGE_ATTRIBUTES) {
        if (m->words[0] > last) {
            return SCMI_NOT_FOUND;
        }
        put_word(m, 0);
        return SCMI_SUCCESS;
    }
    return is_clock ? clock_message(s, m, id) : base_message(m, id);
}

static uint32_t shmem_read(unsigned int word)
{
    return address_space_ldl_le(&address_space_memory, SHMEM_BASE + 4 * word,
                                MEMTXATTRS_UNSPECIFIED, NULL);
}

static void shmem_write(unsigned int word, uint32_t value)
{
    address_space_stl_le(&address_space_memory, SHMEM_BASE + 4 * word, value,
                         MEMTXATTRS_UNSPECIFIED, NULL);
}

bool rk3588_scmi_call(RK3588ScmiState *s)
{
    Message m = { 0 };
    int status;

    for (unsigned int i = 0; i < PAYLOAD_WORDS; i++) {
        m.words[i] = shmem_read(SHMEM_PAYLOAD + i);
    }
    status = handle_message(s, &m, shmem_read(SHMEM_HEADER));
    if (m.hangs) {
        return false;
    }

    shmem_write(SHMEM_PAYLOAD, status);
    for (unsigned int i = 0; i < m.returned; i++) {
        shmem_write(SHMEM_PAYLOAD + 1 + i, m.words[i]);
    }
    shmem_write(SHMEM_LENGTH, 4 * (2 + m.returned));
    shmem_write(SHMEM_STATUS, 1);
    return true;
}

static void scmi_set_power(void *opaque, int line, int level)
{
    RK3588ScmiState *s = opaque;

    if (s->powered && !level && s->hz > PARKED_HZ) {
        error_printf("npu: clock: the power domain went off at %" PRIu64
                     " Hz, above the parked rate\n", s->hz);
    }
    s->powered = level;
}

static void scmi_set_vdd(void *opaque, int line, int level)
{
    RK3588ScmiState *s = opaque;

    if (level != s->vdd_uv) {
        s->vdd_uv = level;
        check_voltage(s);
    }
}

static void scmi_set_refuse(void *opaque, int line, int level)
{
    RK3588ScmiState *s = opaque;

    s->refuses[line] = level;
}

static void scmi_reset(DeviceState *dev)
{
    RK3588ScmiState *s = RK3588_SCMI(dev);

    s->hz = s->boot_hz;
    clock_update_hz(s->npu, s->hz);
    set_config(s, CONFIG_ENABLE);
    shmem_write(SHMEM_STATUS, 1);
}

static void scmi_realize(DeviceState *dev, Error **errp)
{
    RK3588ScmiState *s = RK3588_SCMI(dev);

    s->powered = true;
    s->vdd_uv = VDD_BOOT_UV;
    s->hz = s->boot_hz;
    clock_set_hz(s->npu, s->hz);
}

static void scmi_init(Object *obj)
{
    RK3588ScmiState *s = RK3588_SCMI(obj);

    s->npu = qdev_init_clock_out(DEVICE(s), "npu");
    qdev_init_gpio_out(DEVICE(s), &s->gate, 1);
    qdev_init_gpio_in_named(DEVICE(s), scmi_set_power, "power", 1);
    qdev_init_gpio_in_named(DEVICE(s), scmi_set_vdd, "vdd", 1);
    qdev_init_gpio_in_named(DEVICE(s), scmi_set_refuse, "refuse",
                            RK3588_SCMI_REFUSALS);
}

static const Property scmi_properties[] = {
    DEFINE_PROP_UINT64("boot-hz", RK3588ScmiState, boot_hz, PARKED_HZ),
};

static const VMStateDescription vmstate_scmi = {
    .name = TYPE_RK3588_SCMI,
    .unmigratable = 1,
};

static void scmi_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);

    dc->realize = scmi_realize;
    dc->vmsd = &vmstate_scmi;
    dc->user_creatable = false;
    device_class_set_legacy_reset(dc, scmi_reset);
    device_class_set_props(dc, scmi_properties);
}

static const TypeInfo scmi_type = {
    .name = TYPE_RK3588_SCMI,
    .parent = TYPE_SYS_BUS_DEVICE,
    .instance_size = sizeof(RK3588ScmiState),
    .instance_init = scmi_init,
    .class_init = scmi_class_init,
};

static void scmi_register_types(void)
{
    type_register_static(&scmi_type);
}
type_init(scmi_register_types)
