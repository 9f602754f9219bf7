/* Functions that Outhaul's libcuda.so.1 exports in addition to the CUDA driver API. With them, the
 * programs of one node share device memory by key.
 *
 * A segment belongs to the tenant (`outhaul run --tenant`) or the lease of the program that created
 * it. It remains on the node after the program has ended, until it is removed or the lease or the
 * node ends. Programs that attach a segment use the same memory: nothing is copied. Programs order
 * their accesses themselves. All functions need a current context.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OUTHAUL_H
#define OUTHAUL_H

#include <cuda.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Rights of a segment, in octal: of its own tenant or lease, and of all others on the node. */
#define OUTHAUL_SHM_OWN_READ 0400u
#define OUTHAUL_SHM_OWN_WRITE 0200u
#define OUTHAUL_SHM_OTHERS_READ 0004u
#define OUTHAUL_SHM_OTHERS_WRITE 0002u

/* Flags of outhaulShmGet, in addition to the rights of a segment that it creates. */
#define OUTHAUL_SHM_CREATE 01000u
#define OUTHAUL_SHM_EXCLUSIVE 02000u
/* Flag of outhaulShmAttach. */
#define OUTHAUL_SHM_READ_ONLY 010000u

/* A key that no segment has. A segment created with it can be found only by its number. */
#define OUTHAUL_SHM_PRIVATE 0

/* Commands of outhaulShmControl. */
#define OUTHAUL_SHM_STAT 1   /* argument: outhaulShmStatus *, which receives the state */
#define OUTHAUL_SHM_SET 2    /* argument: const unsigned int *, the new rights */
#define OUTHAUL_SHM_REMOVE 3 /* argument: NULL */

/* The state of a segment. */
typedef struct {
    size_t bytes;          /* size in bytes, a multiple of the device's page size */
    int key;               /* its key */
    unsigned int rights;   /* its rights */
    unsigned int attached; /* number of attachments, by all programs */
    unsigned int removed;  /* 1 after its removal: it ends when the last program detaches it */
} outhaulShmStatus;

/* Returns the number of the segment with this key. If there is none and the flags contain
 * OUTHAUL_SHM_CREATE, the function creates one in the current device's memory. `bytes` is the
 * minimum size of a segment that exists. A key must not be negative.
 *
 * Errors:
 *
 * - CUDA_ERROR_NOT_FOUND: no segment has this key.
 * - CUDA_ERROR_ALREADY_ACQUIRED: a segment has this key, and the flags contain
 *   OUTHAUL_SHM_CREATE and OUTHAUL_SHM_EXCLUSIVE.
 * - CUDA_ERROR_NOT_PERMITTED: this program may not read the segment, or has neither a tenant nor
 *   a lease.
 * - CUDA_ERROR_INVALID_VALUE: the segment is smaller than `bytes`, or an argument is wrong. */
CUresult outhaulShmGet(int* id, int key, size_t bytes, unsigned int flags);

/* Maps a segment for its device and the current one. Each call returns another address.
 *
 * Errors:
 *
 * - CUDA_ERROR_NOT_FOUND: there is no such segment, or it was removed.
 * - CUDA_ERROR_NOT_PERMITTED: this program may not read the segment, or may not write it and the
 *   flags lack OUTHAUL_SHM_READ_ONLY. */
CUresult outhaulShmAttach(CUdeviceptr* address, int id, unsigned int flags);

/* Waits for the context's work, then unmaps a segment. Other programs are sure to find what this
 * program has written only after this program has waited for that work or detached the segment.
 * Returns CUDA_ERROR_INVALID_VALUE if outhaulShmAttach did not return this address. */
CUresult outhaulShmDetach(CUdeviceptr address);

/* Reads the state of a segment, sets its rights, or removes it. Only programs of its own tenant or
 * lease may set its rights and remove it; others get CUDA_ERROR_NOT_PERMITTED. A removed segment
 * remains for programs that have it attached, until the last of them detaches it. Another segment
 * may have its key at once. */
CUresult outhaulShmControl(int id, int command, void* argument);

#ifdef __cplusplus
}
#endif

#endif
