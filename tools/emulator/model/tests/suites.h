/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef SUITES_H
#define SUITES_H

void suite_registers(void);
void suite_commands(void);
void suite_chain(void);
void suite_conv(void);
void suite_image(void);
void suite_hang(void);
void suite_corrupt(void);
void suite_mac(void);
void suite_modes(void);
void suite_property(void);
void suite_reuse(void);
void suite_dpu(void);
void suite_stages(void);
void suite_real(void);
void suite_types(void);

#endif
