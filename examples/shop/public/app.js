import { startChat } from './chat.js'
import { startProducts } from './products.js'
import { startSession } from './session.js'

const session = startSession({ onSignIn: () => chat.welcome(), onSignOut: () => chat.forget() })
const products = startProducts({ ask: (question) => chat.ask(question) })
const chat = startChat({ currentToken: session.currentToken, onOrder: products.refresh, onSignIn: session.open })
