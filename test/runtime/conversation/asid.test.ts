/** Asids: one for each person on a channel, however their number is written. */
import t from 'tap'
import { createAsidOf } from '../../../runtime/conversation/asid.js'

const asidOf = createAsidOf(Buffer.alloc(32, 7))
const on = (channel: Parameters<typeof asidOf>[1], address: string) => asidOf('demo/desk', channel, address)

t.test('A number is one person in every form that providers write it in', async (t) => {
  t.equal(on('sms', '+551187654321'), on('sms', '+5511987654321'), 'Brazil without its ninth digit')
  t.equal(on('sms', '+5215512345678'), on('sms', '+525512345678'), 'Mexico with the 1 of old')
  t.equal(on('sms', '+541123456789'), on('sms', '+5491123456789'), 'Argentina without its 9')
  t.equal(on('messengerA', '14155550100'), on('messengerA', '+14155550100'), 'a messenger that leaves the plus out')
  t.equal(on('sms', '+1 (415) 555-0100'), on('sms', '+14155550100'))
})

t.test('Another number, channel, agent or installation is somebody else', async (t) => {
  const validKeys = new Set([
    on('sms', '+14155550100'),
    on('sms', '+14155550101'),
    on('rcs', '+14155550100'),
    asidOf('demo/other', 'sms', '+14155550100'),
    createAsidOf(Buffer.alloc(32, 8))('demo/desk', 'sms', '+14155550100'),
    on('sms', '72975'),
    on('sms', 'HARBOR'),
  ])
  t.equal(validKeys.size, 7)
  for (const asid of validKeys) t.match(asid, /^usr_[0-9a-z]{26}$/)
})
