/** The beginnings of real files, one or more a type, and of files that only pretend. */

const bytes = (...parts: readonly (string | readonly number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))))

const brands = (major: string, ...others: string[]) =>
  bytes([0, 0, 0, 16 + others.length * 4], 'ftyp', major, [0, 0, 2, 0], ...others, [0, 0, 0, 8], 'free')

const ogg = (codec: string) => bytes('OggS', new Array(24).fill(0), codec, new Array(20).fill(0))
const ebml = (kind: string) => bytes([0x1a, 0x45, 0xdf, 0xa3, 0x9f, 0x42, 0x86, 0x81, 1, 0x42, 0x82, 0x84], kind)

export const png = bytes([0x89], 'PNG\r\n', [0x1a], '\n', [0, 0, 0, 13], 'IHDR')
export const jpeg = bytes([0xff, 0xd8, 0xff, 0xe0, 0, 16], 'JFIF')
export const pdf = bytes('%PDF-1.7\n')

export const samples: Readonly<Record<string, readonly Buffer[]>> = {
  'image/jpeg': [jpeg, bytes([0xff, 0xd8, 0xff, 0xe1, 0, 16], 'Exif')],
  'image/png': [png],
  'image/gif': [bytes('GIF89a', [1, 0, 1, 0]), bytes('GIF87a', [1, 0, 1, 0])],
  'image/webp': [bytes('RIFF', [36, 0, 0, 0], 'WEBPVP8 ')],
  'video/mp4': [
    brands('isom', 'isom', 'iso2', 'avc1', 'mp41'),
    brands('mp42', 'isom'),
    brands('M4V ', 'mp42'),
    brands('XYZ ', 'zzzz', 'mp42'),
  ],
  'video/quicktime': [brands('qt  ', 'qt  ')],
  'video/3gpp': [brands('3gp5', '3gp5', 'isom')],
  'video/webm': [ebml('webm')],
  'video/mpeg': [bytes([0, 0, 1, 0xba, 0x44]), bytes([0, 0, 1, 0xb3, 0x14])],
  'audio/mpeg': [bytes('ID3', [4, 0, 0, 0, 0, 0, 0]), bytes([0xff, 0xfb, 0x90, 0x44]), bytes([0xff, 0xf3, 0x40, 0xc4])],
  'audio/aac': [bytes([0xff, 0xf1, 0x50, 0x80]), bytes([0xff, 0xf9, 0x4c, 0x80])],
  'audio/mp4': [brands('M4A ', 'M4A ', 'mp42', 'isom')],
  'audio/ogg': [ogg('OpusHead'), ogg('\x01vorbis')],
  'audio/amr': [bytes('#!AMR\n', [0x3c])],
  'audio/wav': [bytes('RIFF', [36, 0, 0, 0], 'WAVEfmt ')],
  'application/pdf': [pdf],
  'application/zip': [bytes('PK', [3, 4])],
  'text/vcard': [bytes('BEGIN:VCARD\r\nVERSION:4.0\r\n'), bytes([0xef, 0xbb, 0xbf], 'begin:vcard\nVERSION:3.0\n')],
  'text/calendar': [bytes('BEGIN:VCALENDAR\r\nVERSION:2.0\r\n')],
}

/** None of it is passed on. */
/** Types that begin like others: the ending of their address says which one they are. */
const zip = bytes('PK', [3, 4, 20, 0])
const compound = bytes([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1])
export const documents: Readonly<Record<string, Buffer>> = {
  docx: zip,
  xlsx: zip,
  pptx: zip,
  odt: zip,
  ods: zip,
  doc: compound,
  xls: compound,
  ppt: compound,
  csv: bytes('name,phone\nAnn,1\n'),
  txt: Buffer.from('Gr\u00fc\u00df dich, 10 \u20ac'),
}

export const strangers: Readonly<Record<string, Buffer>> = {
  html: bytes('<!doctype html><title>Not found</title>'),
  'html after blanks': bytes('\r\n\r\n  <html><body>'),
  svg: bytes('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'),
  'svg with a prologue': bytes('<?xml version="1.0"?><svg/>'),
  script: bytes('alert(document.cookie)'),
  json: bytes('{"error":"gone"}'),
  'plain text': bytes('BEGIN:VCARDS are not cards'),
  'a shell script': bytes('#!/bin/sh\n'),
  'a program': bytes([0x7f], 'ELF'),
  'a matroska film': ebml('matr'),
  'an ogg film': ogg('\x80theora'),
  'an unknown brand': brands('heic', 'mif1', 'heic'),
  'a riff of another kind': bytes('RIFF', [36, 0, 0, 0], 'AVI LIST'),
  'text in UTF-16': bytes([0xff, 0xfe, 0x3c, 0, 0x68, 0]),
  'a frame with a forbidden rate': bytes([0xff, 0xfb, 0x9c, 0x44]),
  'half a signature': png.subarray(0, 5),
}
