import { readSvcOutput, renderOutput } from '@svc/widget'

// A page that draws one output by itself, without the element and its style sheet.

const output = readSvcOutput(
  {
    svc: {
      cards: [{ type: 'product', title: '<b>Lantern</b>', price: '€24.90' }],
      actions: [
        { type: 'reply', label: 'Add it', value: 'Add the lantern', description: 'There are three left.' },
        { type: 'link', label: 'Pay', url: 'https://shop.example.com/pay', description: 'By card' },
      ],
    },
  },
  () => 'https://shop.example.com/pay',
)
const said = document.createElement('p')
said.id = 'said'
const send = (text: string) => {
  said.textContent = text
}
document.body.append(renderOutput(output, { send, strings: { newTab: '(new tab)' } }), said)
