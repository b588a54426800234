import { byId, element, icon } from './element.js'

const PAUSE_MS = 150

/** The product grid with its search and its categories. */
export function startProducts({ ask, add }) {
  let category = ''
  let newest = 0
  let pause

  async function refresh() {
    newest += 1
    const mine = newest
    const query = new URLSearchParams({ query: byId('search').value })
    if (category) query.set('category', category)
    const response = await fetch(`/api/products?${query}`).catch(() => null)
    // An answer to what was typed earlier must not replace a later one.
    if (mine !== newest) return
    if (!response?.ok) return showCount('The products cannot be loaded just now.')
    const { products, categories } = await response.json()
    showCategories(categories)
    showProducts(products)
  }

  function showCategories(categories) {
    const names = ['', ...categories.map(({ category: name }) => name)]
    if (byId('categories').childElementCount === names.length) return
    byId('categories').replaceChildren(...names.map((name) => categoryButton(name)))
  }

  function categoryButton(name) {
    const button = element('button', { text: name || 'all' })
    button.type = 'button'
    button.setAttribute('aria-pressed', String(name === category))
    button.addEventListener('click', () => void choose(name))
    return button
  }

  function choose(name) {
    category = name
    for (const other of byId('categories').children) {
      other.setAttribute('aria-pressed', String(other.textContent === (name || 'all')))
    }
    return refresh()
  }

  // Links of the chat lead to a product by its article number, also to one that the present choice leaves out.
  async function showLinked() {
    const sku = decodeURIComponent(location.hash.slice(1))
    if (sku && !document.getElementById(sku)) {
      byId('search').value = ''
      await choose('')
    }
    const product = document.getElementById(sku)
    product?.scrollIntoView({ block: 'center' })
    for (const other of byId('grid').children) other.classList.toggle('linked', other === product)
  }

  function showProducts(products) {
    showCount(products.length === 1 ? '1 product' : `${products.length} products`)
    byId('grid').replaceChildren(...products.map((product) => productCard(product, { ask, add })))
  }

  byId('search').addEventListener('input', () => {
    clearTimeout(pause)
    pause = setTimeout(() => void refresh(), PAUSE_MS)
  })
  byId('search-form').addEventListener('submit', (event) => {
    event.preventDefault()
    void refresh()
  })
  void refresh().then(showLinked)
  window.addEventListener('hashchange', showLinked)
  return { refresh }
}

function productCard(product, { ask, add }) {
  const added = element('p', { className: 'hint' })
  added.role = 'status'
  const buy = cardButton('', 'Add to cart', `Add to cart: ${product.name}`)
  buy.disabled = !product.inStock
  buy.addEventListener('click', async () => {
    added.textContent = await add(product)
  })
  const question = cardButton('quiet', 'Ask', `Ask about ${product.name}`)
  question.addEventListener('click', () => ask(`Tell me about the ${product.name}`))
  const card = element(
    'li',
    { className: product.inStock ? 'card' : 'card sold-out' },
    element('div', { className: `picture ${product.category}` }, icon(product.category)),
    element('h2', { text: product.name }),
    element('p', { className: 'description', text: product.description }),
    element(
      'p',
      { className: 'terms' },
      element('span', { className: 'price', text: product.price }),
      element('span', { className: 'availability', text: product.availability }),
    ),
    element('div', { className: 'buttons' }, buy, question),
    added,
  )
  card.id = product.sku
  return card
}

function cardButton(className, text, label) {
  const button = element('button', { className, text })
  button.type = 'button'
  button.setAttribute('aria-label', label)
  return button
}

function showCount(text) {
  byId('count').textContent = text
}
