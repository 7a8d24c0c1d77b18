"""SHA-256 (FIPS 180-4), block by block: what hashlib does not let one stop and go on with in another process."""

import numpy as np

from .compilation import kernel

_CUBE_ROOTS = """
    428a2f98 71374491 b5c0fbcf e9b5dba5 3956c25b 59f111f1 923f82a4 ab1c5ed5
    d807aa98 12835b01 243185be 550c7dc3 72be5d74 80deb1fe 9bdc06a7 c19bf174
    e49b69c1 efbe4786 0fc19dc6 240ca1cc 2de92c6f 4a7484aa 5cb0a9dc 76f988da
    983e5152 a831c66d b00327c8 bf597fc7 c6e00bf3 d5a79147 06ca6351 14292967
    27b70a85 2e1b2138 4d2c6dfc 53380d13 650a7354 766a0abb 81c2c92e 92722c85
    a2bfe8a1 a81a664b c24b8b70 c76c51a3 d192e819 d6990624 f40e3585 106aa070
    19a4c116 1e376c08 2748774c 34b0bcb5 391c0cb3 4ed8aa4a 5b9cca4f 682e6ff3
    748f82ee 78a5636f 84c87814 8cc70208 90befffa a4506ceb bef9a3f7 c67178f2
"""  # of the first 64 primes: what is behind the point

ROUND_CONSTANTS = np.array([int(word, 16) for word in _CUBE_ROOTS.split()], np.uint32)

FIRST_STATE = np.array(
    [0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19], np.uint32
)
"""Of the square roots of the first 8 primes, what is behind the point."""

BLOCK = 64
"""Bytes that are taken in at a time."""


@kernel(inline=True)
def _turned(x, by):
    """Rotate 32 bits to the right."""
    return (x >> np.uint32(by)) | (x << np.uint32(32 - by))


@kernel(inline=True)
def _round(a, b, c, d, e, f, g, h, k, word):
    """Return what d and h become in a round; the other letters only change their names."""
    first = h + (_turned(e, 6) ^ _turned(e, 11) ^ _turned(e, 25)) + (g ^ (e & (f ^ g))) + k + word
    second = (_turned(a, 2) ^ _turned(a, 13) ^ _turned(a, 22)) + ((a & b) | (c & (a | b)))
    return np.uint32(d + first), np.uint32(first + second)


@kernel
def take_in(data, state, words):
    """Change the state by whole blocks of data; the 64 words are scratch space."""
    for start in range(0, data.shape[0] - BLOCK + 1, BLOCK):
        for t in range(16):
            at = start + 4 * t
            words[t] = np.uint32(
                (np.uint32(data[at]) << np.uint32(24))
                | (np.uint32(data[at + 1]) << np.uint32(16))
                | (np.uint32(data[at + 2]) << np.uint32(8))
                | np.uint32(data[at + 3])
            )
        for t in range(16, 64):
            near, far = words[t - 2], words[t - 15]
            small = _turned(far, 7) ^ _turned(far, 18) ^ (far >> np.uint32(3))
            large = _turned(near, 17) ^ _turned(near, 19) ^ (near >> np.uint32(10))
            words[t] = np.uint32(words[t - 16] + small + words[t - 7] + large)
        a, b, c, d = state[0], state[1], state[2], state[3]
        e, f, g, h = state[4], state[5], state[6], state[7]
        for t in range(0, 64, 8):
            d, h = _round(a, b, c, d, e, f, g, h, ROUND_CONSTANTS[t], words[t])
            c, g = _round(h, a, b, c, d, e, f, g, ROUND_CONSTANTS[t + 1], words[t + 1])
            b, f = _round(g, h, a, b, c, d, e, f, ROUND_CONSTANTS[t + 2], words[t + 2])
            a, e = _round(f, g, h, a, b, c, d, e, ROUND_CONSTANTS[t + 3], words[t + 3])
            h, d = _round(e, f, g, h, a, b, c, d, ROUND_CONSTANTS[t + 4], words[t + 4])
            g, c = _round(d, e, f, g, h, a, b, c, ROUND_CONSTANTS[t + 5], words[t + 5])
            f, b = _round(c, d, e, f, g, h, a, b, ROUND_CONSTANTS[t + 6], words[t + 6])
            e, a = _round(b, c, d, e, f, g, h, a, ROUND_CONSTANTS[t + 7], words[t + 7])
        state[0], state[1] = np.uint32(state[0] + a), np.uint32(state[1] + b)
        state[2], state[3] = np.uint32(state[2] + c), np.uint32(state[3] + d)
        state[4], state[5] = np.uint32(state[4] + e), np.uint32(state[5] + f)
        state[6], state[7] = np.uint32(state[6] + g), np.uint32(state[7] + h)
