/** Brand colors of web chat: the color of the business, and readable text colors for it. */

export interface BrandColors {
  /** The background of the visitor's messages, and of buttons. */
  readonly fill: string
  /** The text color on `fill`. */
  readonly ink: string
  /** The same hue as text on the light and on the dark background. */
  readonly onLight: string
  readonly onDark: string
}

type Rgb = readonly [red: number, green: number, blue: number]

const white: Rgb = [255, 255, 255]
const black: Rgb = [0, 0, 0]
const lightBackground: Rgb = [238, 241, 246]
const darkBackground: Rgb = [44, 50, 62]
/** The contrast that WCAG 2.2 requires between text and its background. */
export const minContrast = 4.5
const defaultColor = '#2456d6'

export function brandOf(color: string | undefined): BrandColors {
  const rgb = parseColor(color) ?? parseColor(defaultColor)!
  const ink = contrast(rgb, white) >= minContrast ? white : contrast(rgb, black) > contrast(rgb, white) ? black : white
  const fill = readableColor(rgb, ink, ink === white ? black : white)
  return {
    fill: formatColor(fill),
    ink: formatColor(ink),
    onLight: formatColor(readableColor(rgb, lightBackground, black)),
    onDark: formatColor(readableColor(rgb, darkBackground, white)),
  }
}

/** Mixes the color with black or white in steps until it is readable. */
function readableColor(rgb: Rgb, background: Rgb, target: Rgb): Rgb {
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = rgb.map((part, at) => Math.round(part + (target[at]! - part) * share)) as unknown as Rgb
    if (contrast(mixed, background) >= minContrast) return mixed
  }
  return target
}

export function parseColor(color: string | undefined): Rgb | undefined {
  const digits = /^#([\da-f]{6}|[\da-f]{3})$/i.exec(color ?? '')?.[1]
  if (!digits) return undefined
  const pairs = digits.length === 3 ? [...digits].map((each) => each + each) : digits.match(/../g)!
  return pairs.map((pair) => Number.parseInt(pair, 16)) as unknown as Rgb
}

function formatColor(rgb: Rgb): string {
  return `#${rgb.map((part) => part.toString(16).padStart(2, '0')).join('')}`
}

export function contrast(a: Rgb, b: Rgb): number {
  const [more, less] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number]
  return (more + 0.05) / (less + 0.05)
}

function luminance(rgb: Rgb): number {
  const [red, green, blue] = rgb.map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
