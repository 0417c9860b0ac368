/** Shapes of the requests that Slack's chat.postMessage accepts: blocks and their limits. */
import { isRecord } from '../../../core/json.js'
import {
  anything,
  byKind,
  flag,
  type JsonObject,
  link,
  list,
  object,
  oneOf,
  onlyOne,
  type Shape,
  someOf,
  text,
} from '../shape.js'

const id = text({ max: 255 })
const plain = (max: number) => object({ type: oneOf('plain_text'), text: text({ max }) }, { emoji: flag })
const styled = (max: number) =>
  byKind('type', {
    plain_text: plain(max),
    mrkdwn: object({ type: anything, text: text({ max }) }, { verbatim: flag }),
  })
const confirm = object(
  { title: plain(100), text: styled(300), confirm: plain(30), deny: plain(30) },
  { style: oneOf('primary', 'danger') },
)

const button = object(
  { type: anything, text: plain(75) },
  {
    action_id: id,
    value: text({ max: 2_000 }),
    url: text({ max: 3_000 }),
    style: oneOf('primary', 'danger'),
    confirm,
    accessibility_label: text({ max: 75 }),
  },
)
const option = object(
  { text: styled(75), value: text({ max: 150 }) },
  { description: styled(75), url: text({ max: 3_000 }) },
)
const select = object(
  { type: anything },
  {
    action_id: id,
    placeholder: plain(150),
    options: list(option, { min: 1, max: 100 }),
    option_groups: list(object({ label: plain(75), options: list(option, { min: 1, max: 100 }) }), {
      min: 1,
      max: 100,
    }),
    initial_option: option,
    confirm,
    focus_on_load: flag,
  },
  onlyOne('options', 'option_groups'),
)
const boxes = object(
  { type: anything, options: list(option, { min: 1, max: 10 }) },
  { action_id: id, initial_options: list(option), initial_option: option, confirm },
)
const picker = object(
  { type: anything },
  { action_id: id, placeholder: plain(150), initial_date: text(), initial_time: text(), confirm },
)
const elements = {
  button,
  static_select: select,
  overflow: object({ type: anything, options: list(option, { min: 1, max: 5 }) }, { action_id: id, confirm }),
  checkboxes: boxes,
  radio_buttons: boxes,
  datepicker: picker,
  timepicker: picker,
}

const picture = object({ type: oneOf('image'), alt_text: text({ max: 2_000 }), image_url: link(3_000) })
const block_id = id
const card = object(
  { type: oneOf('card') },
  {
    block_id,
    title: styled(150),
    subtitle: styled(150),
    body: styled(200),
    subtext: styled(200),
    hero_image: picture,
    icon: picture,
    actions: list(byKind('type', { button }), { max: 25 }),
  },
  someOf('title', 'body', 'hero_image', 'actions'),
)
const block: Shape = byKind('type', {
  section: object(
    { type: anything },
    {
      block_id,
      text: styled(3_000),
      fields: list(styled(2_000), { min: 1, max: 10 }),
      accessory: byKind('type', { ...elements, image: picture }),
      expand: flag,
    },
    someOf('text', 'fields'),
  ),
  header: object({ type: anything, text: plain(150) }, { block_id }),
  markdown: object({ type: anything, text: text({ max: 12_000 }) }, { block_id }),
  divider: object({ type: anything }, { block_id }),
  image: object(
    { type: anything, image_url: link(3_000), alt_text: text({ max: 2_000 }) },
    { block_id, title: plain(2_000) },
  ),
  actions: object({ type: anything, elements: list(byKind('type', elements), { min: 1, max: 25 }) }, { block_id }),
  context: object(
    {
      type: anything,
      elements: list((value, path) => (isImage(value) ? picture(value, path) : styled(3_000)(value, path)), {
        min: 1,
        max: 10,
      }),
    },
    { block_id },
  ),
  card,
  carousel: object({ type: anything, elements: list(card, { min: 1, max: 10 }) }, { block_id }),
})

function isImage(value: unknown): boolean {
  return isRecord(value) && value.type === 'image'
}

export const blocksShape: Shape = (value, path) =>
  list(block, { max: 50 })(value, path) ?? duplicateIds(value as JsonObject[])

/** Action ids are unique within a block, block ids within a message. */
function duplicateIds(blocks: readonly JsonObject[]): string | undefined {
  const ids = blocks.map((each) => each.block_id).filter((each) => each !== undefined)
  if (new Set(ids).size < ids.length) return 'a block_id stands twice'
  const isTwice = blocks.some(({ type, elements: inner }) => {
    const actions = type === 'actions' ? (inner as readonly JsonObject[]).map((each) => each.action_id) : []
    const actionIds = actions.filter((each) => each !== undefined)
    return new Set(actionIds).size < actionIds.length
  })
  return isTwice ? 'an action_id stands twice' : undefined
}

export const postMessage: Shape = object(
  { channel: text() },
  {
    text: text({ min: 0 }),
    blocks: anything,
    thread_ts: text({ form: /^\d+\.\d+$/ }),
    mrkdwn: flag,
    unfurl_links: flag,
    unfurl_media: flag,
    reply_broadcast: flag,
    username: text(),
    icon_url: link(),
    icon_emoji: text(),
    metadata: anything,
    parse: text(),
    link_names: flag,
    client_msg_id: text(),
  },
)

const allTextMax = 13_200

/** The limit on the texts of all blocks together. */
export function isTooLong(blocks: readonly unknown[]): boolean {
  return lengthIn(blocks) > allTextMax
}

function lengthIn(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum, each) => sum + lengthIn(each), 0)
  if (!isRecord(value)) return 0
  const own = typeof value.text === 'string' ? value.text.length : 0
  return Object.values(value).reduce((sum: number, each) => sum + lengthIn(each), own)
}
