"""Primes by the sieve of Eratosthenes, and their gaps."""


def main(np):
    n = 400
    is_prime = np.ones(n + 1, dtype=bool)
    is_prime[:2] = False
    for i in range(2, int(n**0.5) + 1):
        if is_prime[i]:
            is_prime[i * i :: i] = False
    primes = np.flatnonzero(is_prime)
    gaps = np.diff(primes)
    twins = primes[:-1][gaps == 2]
    print(f"{len(primes)} primes, largest gap {gaps.max()}, {len(twins)} twins")
    return primes, twins, np.unique(gaps)
