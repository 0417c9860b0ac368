/** Makes a picture fit: as it is where it does, otherwise smaller and as a JPEG, until it does. */

export interface Chosen {
  readonly name: string
  readonly type: string
  /** Base64. */
  readonly data: string
  /** It was too large as it was. */
  readonly isSmaller: boolean
}

export const pictureTypes: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

const longestSide = 1_600
const leastSide = 16
const quality = 0.8
/** Each try is at most so much of the one before it. */
const step = 0.8

export const addressOf = ({ type, data }: Pick<Chosen, 'type' | 'data'>) => `data:${type};base64,${data}`

/** Its base64 has at most `mostChars`. Throws a sentence for what is no picture. */
export async function fitting(file: File, mostChars: number): Promise<Chosen> {
  const { name, type } = file
  if (!pictureTypes.includes(type)) throw new Error('Choose a picture: PNG, JPEG, GIF or WebP.')
  const picture = await createImageBitmap(file).catch(() => {
    throw new Error(`${name} cannot be read as a picture.`)
  })
  try {
    if (base64Chars(file.size) <= mostChars) return { name, type, data: await dataOf(file), isSmaller: false }
    return {
      name: name.replace(/(\.\w+)?$/, '.jpg'),
      type: 'image/jpeg',
      data: shrunk(picture, mostChars),
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

/** A JPEG grows with its area, so the next try is made as small as the last one says. */
function shrunk(picture: ImageBitmap, mostChars: number): string {
  const side = Math.max(picture.width, picture.height)
  for (let scale = Math.min(1, longestSide / side); side * scale >= leastSide; ) {
    const data = jpegOf(picture, scale)
    if (data.length <= mostChars) return data
    scale *= Math.min(step, Math.sqrt(mostChars / data.length))
  }
  throw new Error('The picture cannot be made small enough.')
}

/** What is transparent becomes white, as on paper. */
function jpegOf(picture: ImageBitmap, scale: number): string {
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(picture.width * scale))
  canvas.height = Math.max(1, Math.round(picture.height * scale))
  const paper = canvas.getContext('2d')
  if (!paper) throw new Error('This browser cannot make pictures smaller.')
  paper.fillStyle = '#fff'
  paper.fillRect(0, 0, canvas.width, canvas.height)
  paper.drawImage(picture, 0, 0, canvas.width, canvas.height)
  return afterComma(canvas.toDataURL('image/jpeg', quality))
}
