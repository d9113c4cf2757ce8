/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright 2026 The rknpu-ork authors */

/*
 * Supply RK8602: a buck converter with two settings, each an enable bit and a
 * voltage. A pin chooses which of them is in force. Input "deaf" is for tests:
 * while it is high, the chip does not acknowledge its address.
 *
 * Registers and voltages are those that Linux's driver for the chip (fan53555)
 * uses; there is no public manual. The voltage changes at once.
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qemu/error-report.h"
#include "qemu/module.h"
#include "hw/irq.h"
#include "migration/vmstate.h"
#include "rk8602.h"

enum {
    ENABLE0  = 0, /* of setting 0, and of 1 in the next one */
    CONTROL  = 2, /* slew rate */
    ID1      = 3,
    ID2      = 4,
    VOLTAGE0 = 6, /* of setting 0, and of 1 in the next one */
};

#define ENABLE    BIT(7)
#define DIE_ID    10
#define BASE_UV   500000
#define STEP_UV   6250
#define LAST_STEP 159

/* As on this board, whose firmware leaves the two voltages there. */
#define FIRMWARE_STEP0 32 /* 0.7 V */
#define FIRMWARE_STEP1 56 /* 0.85 V */

static void update_voltage(RK8602State *s)
{
    bool enabled = s->registers[ENABLE0 + s->vsel] & ENABLE;

    qemu_set_irq(s->out, enabled ?
                 BASE_UV + STEP_UV * s->registers[VOLTAGE0 + s->vsel] : 0);
}

static bool is_writable(unsigned int address, uint8_t value)
{
    switch (address) {
    case ENABLE0:
    case ENABLE0 + 1:
    case CONTROL:
        return true;
    case VOLTAGE0:
    case VOLTAGE0 + 1:
        return value <= LAST_STEP;
    default:
        return false;
    }
}

static int rk8602_send(I2CSlave *i2c, uint8_t value)
{
    RK8602State *s = RK8602(i2c);

    if (!s->addressed) {
        s->address = value;
        s->addressed = true;
        return 0;
    }
    if (is_writable(s->address, value)) {
        s->registers[s->address] = value;
        update_voltage(s);
    } else {
        error_printf("npu: supply: write of 0x%02x to register 0x%02x is not"
                     " modelled\n", value, s->address);
    }
    s->address++;
    return 0;
}

static uint8_t rk8602_recv(I2CSlave *i2c)
{
    RK8602State *s = RK8602(i2c);
    uint8_t address = s->address++;

    return address < RK8602_REGISTERS ? s->registers[address] : 0xff;
}

static int rk8602_event(I2CSlave *i2c, enum i2c_event event)
{
    RK8602State *s = RK8602(i2c);

    if (event == I2C_START_SEND) {
        s->addressed = false;
    }
    return s->deaf && (event == I2C_START_SEND || event == I2C_START_RECV);
}

static void rk8602_set_vsel(void *opaque, int line, int level)
{
    RK8602State *s = opaque;

    s->vsel = level;
    update_voltage(s);
}

static void rk8602_set_deaf(void *opaque, int line, int level)
{
    RK8602State *s = opaque;

    s->deaf = level;
}

static void rk8602_reset(DeviceState *dev)
{
    RK8602State *s = RK8602(dev);

    memset(s->registers, 0, sizeof(s->registers));
    s->registers[ENABLE0] = ENABLE;
    s->registers[ENABLE0 + 1] = ENABLE;
    s->registers[ID1] = DIE_ID;
    s->registers[VOLTAGE0] = FIRMWARE_STEP0;
    s->registers[VOLTAGE0 + 1] = FIRMWARE_STEP1;
    update_voltage(s);
}

static void rk8602_init(Object *obj)
{
    RK8602State *s = RK8602(obj);

    s->vsel = true;
    qdev_init_gpio_out(DEVICE(s), &s->out, 1);
    qdev_init_gpio_in_named(DEVICE(s), rk8602_set_vsel, "vsel", 1);
    qdev_init_gpio_in_named(DEVICE(s), rk8602_set_deaf, "deaf", 1);
}

static const VMStateDescription vmstate_rk8602 = {
    .name = TYPE_RK8602,
    .unmigratable = 1,
};

static void rk8602_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    I2CSlaveClass *sc = I2C_SLAVE_CLASS(klass);

    sc->event = rk8602_event;
    sc->send = rk8602_send;
    sc->recv = rk8602_recv;
    dc->vmsd = &vmstate_rk8602;
    dc->user_creatable = false;
    device_class_set_legacy_reset(dc, rk8602_reset);
}

static const TypeInfo rk8602_type = {
    .name = TYPE_RK8602,
    .parent = TYPE_I2C_SLAVE,
    .instance_size = sizeof(RK8602State),
    .instance_init = rk8602_init,
    .class_init = rk8602_class_init,
};

static void rk8602_register_types(void)
{
    type_register_static(&rk8602_type);
}
type_init(rk8602_register_types)
