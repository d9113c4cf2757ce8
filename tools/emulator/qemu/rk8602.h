/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright 2026 The rknpu-ork authors */
#ifndef HW_RK8602_H
#define HW_RK8602_H

#include "hw/i2c/i2c.h"
#include "qom/object.h"

#define TYPE_RK8602 "rk8602"
OBJECT_DECLARE_SIMPLE_TYPE(RK8602State, RK8602)

#define RK8602_REGISTERS 8

struct RK8602State {
    I2CSlave parent_obj;

    qemu_irq out; /* its level is the voltage in microvolts */
    uint8_t registers[RK8602_REGISTERS];
    uint8_t address;  /* of the register that is next */
    bool addressed;   /* the transfer has named it */
    bool vsel;        /* pin that chooses between the two settings */
    bool deaf;        /* the chip is not there for the bus */
};

#endif
