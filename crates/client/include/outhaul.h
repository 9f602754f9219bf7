/* What Outhaul's libcuda.so.1 has beside the CUDA driver API: device memory that the programs of
 * one node share by key.
 *
 * A segment belongs to the tenant of the program that made it (`outhaul run --tenant`), or to its
 * lease, and lives on the node until it is removed, whatever becomes of the program. Programs that
 * attach it share the memory itself: nothing is copied. They order their accesses themselves. All
 * functions need a current context. SPDX-License-Identifier: Apache-2.0 */
#ifndef OUTHAUL_H
#define OUTHAUL_H

#include <cuda.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Rights, in octal: of the tenant that the segment belongs to, and of everybody else on the node.
 */
#define OUTHAUL_SHM_OWN_READ 0400u
#define OUTHAUL_SHM_OWN_WRITE 0200u
#define OUTHAUL_SHM_OTHERS_READ 0004u
#define OUTHAUL_SHM_OTHERS_WRITE 0002u

/* For outhaulShmGet, beside the rights of a segment that is made. */
#define OUTHAUL_SHM_CREATE 01000u
#define OUTHAUL_SHM_EXCLUSIVE 02000u
/* For outhaulShmAttach. */
#define OUTHAUL_SHM_READ_ONLY 010000u

/* This key is no segment's: with it, one is made that is found by its number alone. */
#define OUTHAUL_SHM_PRIVATE 0

/* Commands of outhaulShmControl. */
#define OUTHAUL_SHM_STAT 1   /* argument: outhaulShmStatus * */
#define OUTHAUL_SHM_SET 2    /* argument: const unsigned int *, the new rights */
#define OUTHAUL_SHM_REMOVE 3 /* argument: NULL */

typedef struct {
    size_t bytes; /* whole pages of the device */
    int key;
    unsigned int rights;
    unsigned int attached; /* how often, by all programs */
    unsigned int removed;  /* it goes when nobody has it attached any more */
} outhaulShmStatus;

/* Gives the number of the segment with this key. With OUTHAUL_SHM_CREATE one is made of the current
 * device's memory if there is none. CUDA_ERROR_NOT_FOUND         there is none
 *   CUDA_ERROR_ALREADY_ACQUIRED  there is one, and OUTHAUL_SHM_EXCLUSIVE asked for a new one
 *   CUDA_ERROR_NOT_PERMITTED     it is another tenant's and not for others, or this program has no
 * tenant CUDA_ERROR_INVALID_VALUE     it is smaller than asked for */
CUresult outhaulShmGet(int* id, int key, size_t bytes, unsigned int flags);

/* Maps a segment for its device and the current one. Each call gives an address of its own. */
CUresult outhaulShmAttach(CUdeviceptr* address, int id, unsigned int flags);

/* Waits for the context, and takes away what outhaulShmAttach has mapped. What a program has
 * written is there for others when it has waited for it or detached. */
CUresult outhaulShmDetach(CUdeviceptr address);

/* Looks at a segment, changes its rights, or removes it. What is removed stays for those who have
 * it attached, until the last detaches it; its key is free at once. Only its own tenant changes and
 * removes it. */
CUresult outhaulShmControl(int id, int command, void* argument);

#ifdef __cplusplus
}
#endif

#endif
