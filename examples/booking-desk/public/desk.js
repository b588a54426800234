const chat = document.getElementById('chat')

// An answer may have booked or cancelled something, at once or after somebody approved it.
chat.addEventListener('svc-answer', showDesk)
await Promise.all([showDesk(), connect()])

async function connect() {
  const { baseUrl, publicKey } = await readJson('/api/connection')
  await import(`${baseUrl}/widget.js`)
  chat.setAttribute('base-url', baseUrl)
  chat.setAttribute('public-key', publicKey)
  const arrival = dayFromNow(14)
  chat.suggestions = [
    `Which rooms are free from ${arrival} to ${dayFromNow(16)} for two adults and 1 child?`,
    `Book the Loft from ${arrival} to ${dayFromNow(16)} for 2 adults and 1 child, for “Ada Byron”, ada@example.com`,
  ]
}

async function showDesk() {
  const { rooms, bookings } = await readJson('/api/desk')
  document.getElementById('rooms').replaceChildren(
    ...rooms.map(({ name, description, sleeps, nightCents }) => {
      const price = `€${(nightCents / 100).toFixed(2)} a night for two`
      return withText('li', `${name}, sleeps ${sleeps}, ${price}. ${description}`)
    }),
  )
  document.getElementById('bookings').replaceChildren(...bookings.map(rowOf))
  document.getElementById('no-bookings').hidden = bookings.length > 0
}

function rowOf({ number, room, dates, guests }) {
  const row = document.createElement('tr')
  const cells = [number, room, `${dates.arrival} – ${dates.departure}`, guests.adults, guests.children]
  row.append(...cells.map((text) => withText('td', text)))
  return row
}

// Text only ever becomes text, never markup.
function withText(tag, text) {
  const element = document.createElement(tag)
  element.textContent = text
  return element
}

function dayFromNow(days) {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
}

async function readJson(url) {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url} answered ${response.status}`)
  return response.json()
}
