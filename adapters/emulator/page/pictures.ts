/** Shrinks pictures to a size limit: unchanged when they fit, otherwise smaller and as JPEG. */

export interface ChosenPicture {
  readonly name: string
  readonly type: string
  /** Base64. */
  readonly data: string
  /** True when the picture had to be shrunk. */
  readonly isSmaller: boolean
}

export const pictureTypes: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

const longestSide = 1_600
const minSide = 16
const quality = 0.8
/** Each try is at most this fraction of the previous one. */
const step = 0.8

export const dataUrlOf = ({ type, data }: Pick<ChosenPicture, 'type' | 'data'>) => `data:${type};base64,${data}`

/** The result has at most `maxChars` characters of base64. Throws a sentence for files that are no pictures. */
export async function fitPicture(file: File, maxChars: number): Promise<ChosenPicture> {
  const { name, type } = file
  if (!pictureTypes.includes(type)) throw new Error('Choose a picture: PNG, JPEG, GIF or WebP.')
  const picture = await createImageBitmap(file).catch(() => {
    throw new Error(`${name} cannot be read as a picture.`)
  })
  try {
    if (base64Chars(file.size) <= maxChars) return { name, type, data: await dataOf(file), isSmaller: false }
    return {
      name: name.replace(/(\.\w+)?$/, '.jpg'),
      type: 'image/jpeg',
      data: shrinkPicture(picture, maxChars),
      isSmaller: true,
    }
  } finally {
    picture.close()
  }
}

const base64Chars = (bytes: number) => Math.ceil(bytes / 3) * 4
const afterComma = (url: string) => url.slice(url.indexOf(',') + 1)

function dataOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(afterComma(String(reader.result)))
    reader.onerror = () => reject(new Error(`${file.name} cannot be read.`))
    reader.readAsDataURL(file)
  })
}

/** A JPEG grows with its area: the size of one try determines the scale of the next. */
function shrinkPicture(picture: ImageBitmap, maxChars: number): string {
  const side = Math.max(picture.width, picture.height)
  for (let scale = Math.min(1, longestSide / side); side * scale >= minSide; ) {
    const data = jpegOf(picture, scale)
    if (data.length <= maxChars) return data
    scale *= Math.min(step, Math.sqrt(maxChars / data.length))
  }
  throw new Error('The picture cannot be made small enough.')
}

/** Transparent pixels become white. */
function jpegOf(picture: ImageBitmap, scale: number): string {
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(picture.width * scale))
  canvas.height = Math.max(1, Math.round(picture.height * scale))
  const context = canvas.getContext('2d')
  if (!context) throw new Error('This browser cannot make pictures smaller.')
  context.fillStyle = '#fff'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.drawImage(picture, 0, 0, canvas.width, canvas.height)
  return afterComma(canvas.toDataURL('image/jpeg', quality))
}
