/** Traits that are held against wider ones. */
import fc from 'fast-check'
import t from 'tap'
import { traitsOf } from '../../../core/channel/channeltraits.js'
import { findExcessTrait } from '../../../core/channel/subset.js'
import { channelNames } from '../../../core/channelnames.js'
import { traits } from '../render/messages.js'

const rcs = traitsOf('rcs')
const whatsapp = traitsOf('messengerA')

t.test('Traits are a subset of themselves, with or without any feature removed', async (t) => {
  for (const wide of [...channelNames.map(traitsOf), ...fc.sample(traits, 100)]) {
    t.equal(findExcessTrait(wide, wide), undefined)
    const { chips: _chips, card: _card, carousel: _carousel, list: _list, timePicker: _times, media: _, ...bare } = wide
    t.equal(findExcessTrait(bare, wide), undefined)
  }
})

t.test('Every additional feature is named', async (t) => {
  for (const [name, narrow, wide] of [
    ['list', { ...rcs, list: traitsOf('webchat').list }, rcs],
    ['chips.max', { ...rcs, chips: { ...rcs.chips!, max: 12 } }, rcs],
    ['chips.min', { ...whatsapp, chips: { ...whatsapp.chips!, min: 0 } }, whatsapp],
    ['chips.kinds', { ...whatsapp, chips: { ...whatsapp.chips!, kinds: ['dial'] } }, whatsapp],
    ['chips.alone', { ...whatsapp, chips: { ...whatsapp.chips!, alone: ['url'] } }, whatsapp],
    ['chips.whileNewest', { ...rcs, chips: { ...rcs.chips!, whileNewest: undefined } }, rcs],
    ['card.needsMedia', { ...whatsapp, card: { ...whatsapp.card!, needsMedia: undefined } }, whatsapp],
    ['media.types', { ...rcs, media: { ...rcs.media!, types: ['text/html'] } }, rcs],
    ['text.max', { ...rcs, text: { ...rcs.text, max: Number.NaN } }, rcs],
    ['text.besideMax', { ...whatsapp, text: { ...whatsapp.text, besideMax: undefined } }, whatsapp],
    ['receipts.read', { ...traitsOf('sms'), receipts: { delivered: true, read: true } }, traitsOf('sms')],
    ['typing', { ...traitsOf('sms'), typing: true }, traitsOf('sms')],
    ['windowHours', { ...whatsapp, windowHours: 12 }, whatsapp],
    ['channel', traitsOf('sms'), rcs],
    ['text', { ...rcs, text: undefined }, rcs],
    ['traits', undefined, rcs],
  ] as const) {
    t.equal(findExcessTrait(narrow, wide), name)
  }
})

t.test('No value in place of traits makes the comparison throw', async () => {
  fc.assert(fc.property(fc.anything(), traits, (narrow, wide) => void findExcessTrait(narrow, wide)))
})
