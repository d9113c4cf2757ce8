/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright 2026 The rknpu-ork authors */
#ifndef HW_RK3588_NPU_CHAOS_H
#define HW_RK3588_NPU_CHAOS_H

/*
 * Random numbers of the mode "chaos": everything that they decide is something
 * that hardware may do. One state per user, so that what one core draws does
 * not depend on how far the others are.
 */
typedef struct RK3588Chaos {
    uint64_t state; /* 0: the mode is off */
} RK3588Chaos;

static inline void rk3588_chaos_init(RK3588Chaos *chaos, uint64_t seed,
                                     unsigned int user)
{
    /* Neighbouring seeds must not give neighbouring states. */
    chaos->state = seed ? (seed + user) * 0x9e3779b97f4a7c15ull : 0;
    if (seed && !chaos->state) {
        chaos->state = 1;
    }
}

/* xorshift64*; 0 to max, and 0 while the mode is off. */
static inline uint64_t rk3588_chaos_draw(RK3588Chaos *chaos, uint64_t max)
{
    if (!chaos->state) {
        return 0;
    }
    chaos->state ^= chaos->state >> 12;
    chaos->state ^= chaos->state << 25;
    chaos->state ^= chaos->state >> 27;
    return (chaos->state * 0x2545f4914f6cdd1dull >> 32) % (max + 1);
}

/* Once in so many times, and never while the mode is off. */
static inline bool rk3588_chaos_happens(RK3588Chaos *chaos, uint64_t one_in)
{
    return chaos->state && rk3588_chaos_draw(chaos, one_in - 1) == 0;
}

#endif
