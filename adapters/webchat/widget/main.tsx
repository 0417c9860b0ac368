/** Entry point of the widget: finds its chat and mounts it on the page. */
import { render } from 'preact'
import { brandOf } from '../../../core/brand.js'
import { type Handle, PageApp, WidgetApp } from './app.js'
import { createChat } from './chat.js'
import type { ChatLook } from './look.js'
import pageStyle from './page.css'
import { answerParent } from './parentframe.js'
import style from './style.css'

/** The gateway calls the script with this argument. */
declare const parleyLook: ChatLook

const element = 'parley-chat'
/** A module script has no `document.currentScript`; then the element is found by its URL. */
const script =
  (document.currentScript as HTMLScriptElement | null) ??
  document.querySelector<HTMLScriptElement>('script[src*="/webchat/"][src$="/widget.js"]')

/** The script URL is `…/webchat/{chat}/widget.js`; the other resources of the chat are beside it. */
function mount(chatUrl: string, { view, sites = '' }: DOMStringMap): void {
  if (document.querySelector(element)) return
  const host = document.createElement(element)
  const root = host.attachShadow({ mode: 'open' })
  // Constructed style sheets pass every content security policy.
  root.adoptedStyleSheets = [sheetOf(style)]
  // Key events inside the chat must not trigger shortcuts of the surrounding page.
  for (const type of ['keydown', 'keypress', 'keyup']) root.addEventListener(type, (event) => event.stopPropagation())
  const brand = brandOf(parleyLook.brandColor)
  for (const [name, value] of Object.entries(brand)) host.style.setProperty(`--brand-${name.toLowerCase()}`, value)
  document.body.append(host)
  const chat = createChat(chatUrl)
  if (view === 'page') {
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheetOf(pageStyle)]
    host.classList.add('page')
    if (parent !== window) answerParent(chat, sites.split(' '))
    render(<PageApp chat={chat} look={parleyLook} />, root)
  } else {
    const exposeHandle = (handle: Handle) => void Object.assign(globalThis, { parley: handle })
    render(<WidgetApp chat={chat} look={parleyLook} exposeHandle={exposeHandle} />, root)
  }
}

function sheetOf(text: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(text)
  return sheet
}

if (script) {
  const chatUrl = new URL('.', script.src).href.slice(0, -1)
  if (document.body) mount(chatUrl, script.dataset)
  else addEventListener('DOMContentLoaded', () => mount(chatUrl, script.dataset))
}
