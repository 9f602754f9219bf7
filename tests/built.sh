# Sourced with $PWD the repository: what was built, and is tested. PROFILE is the Cargo profile; the gate's is ci.
profile=${PROFILE:-release}
built=$PWD/target/$profile
outhaul=$built/outhaul
client=$built/outhaul-client/libcuda.so.1
soft=$built/outhaul-soft/libcuda.so.1
