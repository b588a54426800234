import { startAsking } from './ask.js'
import { startProducts } from './products.js'
import { startSession } from './session.js'

const session = startSession({ onSignOut: () => asking.forget() })
const asking = startAsking({ currentToken: session.currentToken })
startProducts({ ask: asking.ask })
