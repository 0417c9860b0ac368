/**
 * Arbitraries for any text and any web address, with the distribution of fast-check's unit `binary` and `webUrl`.
 * fast-check's own build a list of all characters first, which takes each file that uses them more than a second.
 */
import fc, { type Arbitrary, type SizeForArbitrary, type StringConstraints } from 'fast-check'

/** Lone surrogates are not characters; they lie in the middle of the range. */
const [firstHalf, halves, characters] = [0xd800, 0x800, 0x110000]

const character = fc.nat({ max: characters - halves - 1 }).map(
  (index) => String.fromCodePoint(index < firstHalf ? index : index + halves),
  (value) => {
    const code = typeof value === 'string' && value.isWellFormed() ? value.codePointAt(0) : undefined
    if (code === undefined || value !== String.fromCodePoint(code)) throw new Error('not one character')
    return code < firstHalf ? code : code - halves
  },
)

export function anyText(constraints: Omit<StringConstraints, 'unit'> = {}): Arbitrary<string> {
  return fc.string({ ...constraints, unit: character })
}

const plain = [..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@"]
const escaped = character.map(inPercents, (value) => decodeURIComponent(String(value)))
const inPath = characterOf(plain)
const inQuery = characterOf([...plain, '/', '?'])

function characterOf(unescaped: readonly string[]): Arbitrary<string> {
  return fc.oneof({ weight: 10, arbitrary: fc.constantFrom(...unescaped) }, { weight: 1, arbitrary: escaped })
}

/** Escapes some characters that do not need it. */
function inPercents(one: string): string {
  const text = encodeURIComponent(one)
  return text === one ? `%${one.charCodeAt(0).toString(16)}` : text
}

export function webPath(): Arbitrary<string> {
  const segments = (length: SizeForArbitrary, count: SizeForArbitrary) =>
    fc.array(fc.string({ unit: inPath, size: length }), { size: count })
  return fc
    .oneof(segments('small', 'xsmall'), segments('xsmall', 'small'))
    .map((several) => several.map((segment) => `/${segment}`).join(''))
}

export function webQuery(): Arbitrary<string> {
  return fc.string({ unit: inQuery })
}

export function webUrl(schemes: readonly string[] = ['http', 'https']): Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...schemes), fc.webAuthority(), webPath())
    .map(([scheme, authority, path]) => `${scheme}://${authority}${path}`)
}
