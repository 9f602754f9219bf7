//! Nodes, leases, users and placement: the control plane that hands GPUs out. Empty so far.

#![forbid(unsafe_code)]
