/** A deterministic RSA key from a seed, so that a service account is the same after a restart. For emulation only. */
import { checkPrimeSync, createPrivateKey } from 'node:crypto'

const exponent = 65_537n
const primeBytes = 128

/** The private key as PEM. `seed` returns as many bytes as asked for, always the same for the same label. */
export function rsaKeyFrom(seed: (label: string, bytes: number) => Uint8Array): string {
  const [p, q] = [primeFrom(seed('p', primeBytes)), primeFrom(seed('q', primeBytes))]
  const d = inverse(exponent, (p - 1n) * (q - 1n))
  const numbers = { n: p * q, e: exponent, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi: inverse(q, p) }
  const members = Object.entries(numbers).map(([name, value]) => [name, asBase64Url(value)])
  const key = createPrivateKey({ key: { kty: 'RSA', ...Object.fromEntries(members) }, format: 'jwk' })
  return key.export({ type: 'pkcs8', format: 'pem' }) as string
}

/**
 * The first prime from `bytes` on that suits the exponent. Its two highest bits are set, so that the product is long
 * enough.
 */
function primeFrom(bytes: Uint8Array): bigint {
  const first = Buffer.from(bytes)
  first[0]! |= 0xc0
  first[first.length - 1]! |= 1
  const start = BigInt(`0x${first.toString('hex')}`)
  const remainders = smallPrimes.map((prime) => [prime, Number(start % BigInt(prime))] as const)
  for (let step = 0; ; step += 2) {
    // Trial division by small primes excludes nearly all candidates cheaply.
    if (remainders.some(([prime, rest]) => (rest + step) % prime === 0)) continue
    const candidate = start + BigInt(step)
    if ((candidate - 1n) % exponent !== 0n && checkPrimeSync(candidate)) return candidate
  }
}

const smallPrimes = primesBelow(10_000)

function primesBelow(limit: number): readonly number[] {
  const primes: number[] = []
  for (let each = 3; each < limit; each += 2) if (primes.every((prime) => each % prime !== 0)) primes.push(each)
  return primes
}

function inverse(value: bigint, modulus: bigint): bigint {
  let [r, next] = [modulus, value % modulus]
  let [t, nextT] = [0n, 1n]
  while (next !== 0n) {
    const quotient = r / next
    ;[r, next] = [next, r - quotient * next]
    ;[t, nextT] = [nextT, t - quotient * nextT]
  }
  return t < 0n ? t + modulus : t
}

function asBase64Url(value: bigint): string {
  const hex = value.toString(16)
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex').toString('base64url')
}
