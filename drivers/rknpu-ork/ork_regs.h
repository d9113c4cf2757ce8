/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_REGS_H
#define ORK_REGS_H

/*
 * Registers of one NPU core that the driver touches by MMIO. Offsets are from the start of
 * their page; the names are those of Documentation/hardware.rst. Registers that only programs
 * write are listed in ork_regcmd.c.
 */

#define ORK_PC_VERSION			0x00
#define ORK_PC_VERSION_NUM		0x04
#define ORK_PC_VERSION_NUM_MASK		GENMASK(15, 0)

#define ORK_PC_OPERATION_ENABLE		0x08
#define ORK_PC_OP_EN			BIT(0)

#define ORK_PC_BASE_ADDRESS		0x10
#define ORK_PC_SEL_SLAVE		BIT(0)

#define ORK_PC_REGISTER_AMOUNTS		0x14

#define ORK_PC_INTERRUPT_MASK		0x20
#define ORK_PC_INTERRUPT_CLEAR		0x24
#define ORK_PC_INTERRUPT_STATUS		0x28
#define ORK_PC_INTERRUPT_RAW_STATUS	0x2c
#define ORK_INT_DPU			GENMASK(9, 8)
#define ORK_INT_DMA_READ_ERROR		BIT(12)
#define ORK_INT_DMA_WRITE_ERROR		BIT(13)
#define ORK_INT_DMA_ERROR		(ORK_INT_DMA_READ_ERROR | ORK_INT_DMA_WRITE_ERROR)
#define ORK_INT_ALL			GENMASK(16, 0)

#define ORK_PC_TASK_CON			0x30
#define ORK_TASK_CON_NUMBER		GENMASK(11, 0)
#define ORK_TASK_CON_PP_EN		BIT(12)
#define ORK_TASK_CON_COUNT_CLEAR	BIT(13)
/* Reserved in the manual; every known driver sets it. */
#define ORK_TASK_CON_RESERVED		BIT(14)

#define ORK_PC_TASK_DMA_BASE_ADDR	0x34

#define ORK_PC_TASK_STATUS		0x3c
#define ORK_TASK_STATUS_COUNT		GENMASK(11, 0)

/* The same in the CNA and CORE pages. */
#define ORK_S_STATUS			0x00
#define ORK_S_POINTER			0x04
#define ORK_S_POINTER_POINTER_PP_EN	BIT(1)
#define ORK_S_POINTER_EXECUTER_PP_EN	BIT(2)
#define ORK_S_POINTER_PP_MODE		BIT(3)
#define ORK_S_POINTER_CORE		GENMASK(29, 28)

/* Pages of a core's register window. */
#define ORK_PC_PAGE			0x0000
#define ORK_CNA_PAGE			0x1000
#define ORK_CORE_PAGE			0x3000
#define ORK_DDMA_PAGE			0x8000

#define ORK_DDMA_CFG_ID_ERROR		0x0c
#define ORK_DDMA_CFG_STATUS		0x30
#define ORK_DDMA_STATUS_IDLE		BIT(8)

/* A bank of the MMU. It is the IOMMU driver's; ours only asks which bank has a fault. */
#define ORK_MMU_BANK_SIZE		0x100
#define ORK_MMU_STATUS			0x04
#define ORK_MMU_STATUS_FAULT		BIT(1)
#define ORK_MMU_PAGE_FAULT_ADDR		0x0c

#endif
