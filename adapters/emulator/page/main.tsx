/** Entry point of the page. */
import { render } from 'preact'
import { readTicket } from './api.js'
import { App } from './app.js'
import style from './style.css'

const sheet = new CSSStyleSheet()
// The page's policy needs no exception for constructed style sheets.
sheet.replaceSync(style)
document.adoptedStyleSheets = [sheet]
readTicket()
render(<App />, document.body)
