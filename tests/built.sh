# Other scripts source this file at the top of the repository. It sets the paths of the built files
# that the tests use. PROFILE is the Cargo profile (release); the gate's is ci.
profile=${PROFILE:-release}
built=$PWD/target/$profile
outhaul=$built/outhaul
client=$built/outhaul-client/libcuda.so.1
soft=$built/outhaul-soft/libcuda.so.1
