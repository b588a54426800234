import { startCart } from './cart.js'
import { startChat } from './chat.js'
import { startProducts } from './products.js'
import { startSession } from './session.js'

const session = startSession({
  onSignIn() {
    void chat.welcome()
    void cart.refresh()
  },
  onSignOut() {
    void chat.forget()
    void cart.refresh()
  },
})
const cart = startCart(session)
const products = startProducts({ ask: (question) => chat.ask(question), add: cart.add })
const chat = startChat({
  currentToken: session.currentToken,
  onAnswer(capabilities) {
    void cart.refresh()
    // The ordered articles have left the stock.
    if (capabilities.includes('place-order')) void products.refresh()
  },
  onSignIn: session.open,
})
