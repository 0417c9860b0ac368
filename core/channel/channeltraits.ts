/**
 * The traits of every channel. If a provider's documents disagree or are silent, the smaller number and the poorer
 * answer stand here: uncertain features are not sent.
 */
import { chipKinds } from '../amf/message.js'
import type { ChannelName } from '../channelnames.js'
import type { Traits } from './traits.js'

const kilobyte = 1_000
const megabyte = 1_000 * kilobyte

const pictures = ['image/jpeg', 'image/png'] as const
const documents = [
  'application/pdf',
  'application/msword',
  'application/vnd.ms-excel',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'text/plain',
] as const

const table: Readonly<Record<ChannelName, Traits>> = {
  rcs: {
    channel: 'rcs',
    markup: 'plain',
    text: { max: 3_072, unit: 'characters', encoding: 'unicode' },
    chips: { kinds: chipKinds, min: 1, max: 11, labelMax: 25, whileNewest: true },
    card: { titleMax: 200, descriptionMax: 2_000, chipsMax: 4, chipKinds, chipLabelMax: 25 },
    carousel: { min: 2, max: 10 },
    media: {
      types: [
        ...pictures,
        'image/gif',
        'video/mp4',
        'video/webm',
        'video/mpeg',
        'video/x-m4v',
        'video/h263',
        'application/pdf',
      ],
      maxBytes: 100 * megabyte,
    },
    receipts: { delivered: true, read: true },
    typing: true,
    windowHours: null,
  },
  vendorMessages: {
    channel: 'vendorMessages',
    markup: 'plain',
    // Interactive strings have 200 characters; plain text has no stated limit, and resellers accept 3,000.
    text: { max: 3_000, unit: 'characters', encoding: 'unicode', besideMax: 200 },
    chips: { kinds: ['reply'], min: 2, max: 5, labelMax: 24 },
    list: { min: 2, max: 50, labelMax: 200, descriptionMax: 200 },
    timePicker: { max: 50 },
    media: {
      types: [...pictures, 'image/gif', 'video/mp4', 'video/quicktime', 'audio/mp4', 'audio/mpeg', ...documents],
      maxBytes: 100 * megabyte,
    },
    receipts: { delivered: false, read: false },
    typing: true,
    windowHours: null,
  },
  messengerA: {
    channel: 'messengerA',
    markup: 'whatsapp',
    text: { max: 4_096, unit: 'characters', encoding: 'unicode', besideMax: 1_024 },
    chips: {
      kinds: ['reply', 'url', 'shareLocation'],
      min: 1,
      max: 3,
      labelMax: 20,
      alone: ['url', 'shareLocation'],
    },
    // A card is the card of a carousel here: a picture, 160 characters without a title, and one button.
    card: {
      titleMax: 0,
      descriptionMax: 160,
      chipsMax: 1,
      chipKinds: ['reply', 'url'],
      chipLabelMax: 20,
      needsMedia: true,
    },
    carousel: { min: 2, max: 10, alike: true },
    // Three options are sent as buttons, so the list begins above them.
    list: { min: 4, max: 10, labelMax: 24, descriptionMax: 72 },
    media: {
      types: [
        ...pictures,
        'video/mp4',
        'video/3gpp',
        'audio/aac',
        'audio/mpeg',
        'audio/mp4',
        'audio/amr',
        'audio/ogg',
        ...documents,
      ],
      maxBytes: 100 * megabyte,
      imageMaxBytes: 5 * megabyte,
      videoMaxBytes: 16 * megabyte,
      audioMaxBytes: 16 * megabyte,
    },
    receipts: { delivered: true, read: true },
    typing: true,
    windowHours: 24,
  },
  sms: {
    channel: 'sms',
    markup: 'plain',
    text: { max: 1_600, unit: 'characters', encoding: 'gsm7' },
    receipts: { delivered: true, read: false },
    typing: false,
    windowHours: null,
  },
  webchat: {
    channel: 'webchat',
    markup: 'commonmark',
    text: { max: 10_000, unit: 'characters', encoding: 'unicode' },
    chips: { kinds: chipKinds, min: 1, max: 13, labelMax: 40 },
    card: { titleMax: 200, descriptionMax: 2_000, chipsMax: 4, chipKinds, chipLabelMax: 40 },
    carousel: { min: 1, max: 10 },
    list: { min: 6, max: 50, labelMax: 200, descriptionMax: 500 },
    timePicker: { max: 50 },
    media: {
      types: [
        ...pictures,
        'image/gif',
        'image/webp',
        'video/mp4',
        'video/webm',
        'audio/mpeg',
        'audio/mp4',
        'audio/ogg',
        ...documents,
      ],
      maxBytes: 10 * megabyte,
    },
    receipts: { delivered: true, read: true },
    typing: true,
    windowHours: null,
  },
  messengerB: {
    channel: 'messengerB',
    markup: 'plain',
    text: { max: 2_000, unit: 'characters', encoding: 'unicode' },
    chips: { kinds: ['reply'], min: 1, max: 13, labelMax: 20, whileNewest: true },
    card: {
      titleMax: 80,
      descriptionMax: 80,
      chipsMax: 3,
      chipKinds: ['reply', 'url', 'dial'],
      chipLabelMax: 20,
      needsTitle: true,
    },
    carousel: { min: 1, max: 10 },
    media: {
      types: [...pictures, 'image/gif', 'video/mp4', 'audio/mpeg', 'audio/mp4', ...documents],
      maxBytes: 25 * megabyte,
      imageMaxBytes: 8 * megabyte,
    },
    receipts: { delivered: true, read: true },
    typing: true,
    windowHours: 24,
  },
  socialC: {
    channel: 'socialC',
    markup: 'plain',
    text: { max: 1_000, unit: 'bytes', encoding: 'unicode' },
    chips: { kinds: ['reply'], min: 1, max: 13, labelMax: 20, whileNewest: true },
    card: {
      titleMax: 80,
      descriptionMax: 80,
      chipsMax: 3,
      chipKinds: ['reply', 'url'],
      chipLabelMax: 20,
      needsTitle: true,
    },
    carousel: { min: 1, max: 10 },
    media: { types: pictures, maxBytes: 8 * megabyte },
    receipts: { delivered: false, read: true },
    typing: false,
    windowHours: 24,
  },
  workchatD: {
    channel: 'workchatD',
    markup: 'slack',
    text: { max: 3_000, unit: 'characters', encoding: 'unicode' },
    chips: { kinds: ['reply', 'url'], min: 1, max: 25, labelMax: 75 },
    card: { titleMax: 150, descriptionMax: 200, chipsMax: 3, chipKinds: ['reply', 'url'], chipLabelMax: 75 },
    carousel: { min: 1, max: 10 },
    // Up to five options are easier as buttons than behind a menu.
    list: { min: 6, max: 100, labelMax: 75, descriptionMax: 0 },
    media: { types: [...pictures, 'image/gif'], maxBytes: 5 * megabyte },
    receipts: { delivered: false, read: false },
    typing: false,
    windowHours: null,
  },
  aiChatE: {
    channel: 'aiChatE',
    markup: 'plain',
    text: { max: 4_000, unit: 'characters', encoding: 'unicode' },
    receipts: { delivered: false, read: false },
    typing: false,
    windowHours: null,
  },
}

export function traitsOf(channel: ChannelName): Traits {
  return table[channel]
}
