/** A whole node that gives out the script of an agent's web chat, as browsers ask for it. */
import { present } from '../control.js'
import { openGateway } from '../messages/gateway.js'
import { chatPath } from './setting.js'

const gateway = await openGateway({})

present({
  ready: {
    port: Number(new URL(gateway.url).port),
    request: { method: 'GET', path: `${chatPath}/widget.js`, headers: { 'accept-encoding': 'gzip' }, body: '' },
  },
  close: gateway.stop,
})
