/** Where the page begins. */
import { render } from 'preact'
import { readTicket } from './api.js'
import { App } from './app.js'
import style from './style.css'

const sheet = new CSSStyleSheet()
// Built style sheets need no permission of the page's policy.
sheet.replaceSync(style)
document.adoptedStyleSheets = [sheet]
readTicket()
render(<App />, document.body)
