import { describe, expect, test } from 'vitest'
import { clinicTools, restaurantTools, trackerTools } from './other-tools.ts'
import { shopTools } from './shop-tools.ts'
import { deed, user } from './support.ts'

describe('the tool that a question means is called with what the question says:', () => {
  // holds MDL-06
  test.each([
    ['What kinds of things do you sell?', ['list-categories', {}]],
    ['Do you have any lanterns?', ['search-products', { query: 'lanterns' }]],
    ['wool socks', ['search-products', { query: 'wool socks' }]],
    ['Show me tents under 200 euros', ['search-products', { query: 'tents', maxPrice: 200 }]],
    [
      'I need a jacket for less than $80, in stock please',
      ['search-products', { query: 'jacket', maxPrice: 80, inStock: true }],
    ],
    [
      'can you recommend something for the kitchen up to €35?',
      ['search-products', { category: 'kitchen', maxPrice: 35 }],
    ],
    ['find "cast iron pan"', ['search-products', { query: 'cast iron pan' }]],
    ['got any sleeping bags?', ['search-products', { query: 'sleeping bags' }]],
    ['2 person tents', ['search-products', { query: '2 person tents' }]],
    ['How much is the Trail Lantern?', ['get-product', { product: 'Trail Lantern' }]],
    ['Tell me more about LGT-201', ['get-product', { product: 'LGT-201' }]],
    ['What does the Enamel Mug cost?', ['get-product', { product: 'Enamel Mug' }]],
    ['How much is shipping to Germany?', ['shipping-quote', { country: 'Germany' }]],
    ['Do you deliver to the UK, and what does it cost?', ['shipping-quote', { country: 'UK' }]],
    [
      'What would postage to South Korea be for an order of 120 euros?',
      ['shipping-quote', { country: 'South Korea', total: 120 }],
    ],
    ['When are you open?', ['store-info', {}]],
    ['What is your return policy?', ['store-info', {}]],
    ['Can I pay by card?', ['store-info', {}]],
    ['What’s in my basket?', ['view-cart', {}]],
    ['put 3 of LGT-201 in my basket', ['add-to-cart', { product: 'LGT-201', quantity: 3 }]],
    ['Add the sleeping bag to my cart', ['add-to-cart', { product: 'sleeping bag' }]],
    ['I’d like to order now', ['place-order', {}]],
    ['show me my past purchases', ['list-orders', {}]],
    ['Where is my order ORD-1007?', ['order-status', { orderNumber: 'ORD-1007' }]],
    ['When will order number 1007 arrive?', ['order-status', { orderNumber: '1007' }]],
  ])('%s (a shop)', (question, expected) => {
    expect(deed([user(question)], shopTools)).toEqual(expected)
  })

  test.each([
    ['Which dermatology doctors do you have?', ['find_doctors', { specialty: 'dermatology' }]],
    ['I need a physician in general practice', ['find_doctors', { specialty: 'general_practice' }]],
    [
      'Book an appointment with Dr. Weber on 2026-04-02 at 15:30',
      ['book_appointment', { doctor: 'Dr. Weber', date: '2026-04-02', time: '15:30' }],
    ],
    ['I have to cancel APT-77', ['cancel_appointment', { appointmentId: 'APT-77' }]],
    ['what appointments do I have?', ['my_appointments', {}]],
    ['when do you close?', ['opening_hours', {}]],
  ])('%s (a clinic)', (question, expected) => {
    expect(deed([user(question)], clinicTools)).toEqual(expected)
  })

  test.each([
    ['Show me all open tickets with high priority', ['searchTickets', { state: 'open', priority: 'high' }]],
    ['which bugs are in progress?', ['searchTickets', { state: 'in_progress' }]],
    ['show ticket 42', ['getTicket', { ticketId: 42 }]],
    ['Open a new issue: export fails on Safari', ['createTicket', { title: 'export fails on Safari' }]],
    ['assign ticket 42 to Maria Lopez', ['assignTicket', { ticketId: 42, assignee: 'Maria Lopez' }]],
    ['please close #42', ['closeTicket', { ticketId: 42 }]],
    ['comment "fixed in 2.1" on ticket 9', ['addComment', { ticketId: 9, comment: 'fixed in 2.1' }]],
  ])('%s (a tracker)', (question, expected) => {
    expect(deed([user(question)], trackerTools)).toEqual(expected)
  })
})

describe('what changes something is done on a word for it alone:', () => {
  test.each([
    'what did I order?',
    'where is my order?',
    'show me my order',
    'Is everything in my cart in stock?',
    'when was my order placed?',
    'empty my cart',
    'remove the lantern from my cart',
    'cancel my order ORD-1001',
    'delete my account',
  ])('%s', (question) => {
    expect(JSON.stringify(deed([user(question)], shopTools))).not.toMatch(/^\["(place-order|add-to-cart)/)
  })
})

describe('no number of people and no amount is dropped:', () => {
  test.each([
    ['Book a table for two adults and 1 child', ['book-table', { people: 3 }]],
    ['book a table for me and 2 friends', ['book-table', { people: 3 }]],
    ['book a table for one', ['book-table', { people: 1 }]],
    ['book a boat trip for two adults and 1 child', ['book-trip', { adults: 2, children: 1 }]],
    ['one child and 2 adults on a boat trip, book it', ['book-trip', { adults: 2, children: 1 }]],
    ['transfer 1,200 euros to Maria Lopez', ['transfer-money', { amount: 1200, recipient: 'Maria Lopez' }]],
    ['transfer $49.90 to Maria', ['transfer-money', { amount: 49.9, recipient: 'Maria' }]],
  ])('%s', (question, expected) => {
    expect(deed([user(question)], restaurantTools)).toEqual(expected)
  })

  test.each([
    ['book a table for 2 people and 3 dogs', '“3”'],
    ['book a table for twenty five people', '“five”'],
    ['book a table for two hundred people', 'the people'],
    ['book a table for 2.5 people', 'the people'],
    ['book a table for 4 people at 7pm', '“7pm”'],
    ['book a boat trip for 2 adults and 3 seniors', '“3”'],
    ['transfer 50 euros and 30 dollars to Maria', '“30”'],
    ['transfer 50 cents to Maria', 'the amount'],
  ])('“%s” is asked about', (question, asked) => {
    expect(deed([user(question)], restaurantTools)).toContain(asked)
  })

  test('of a list to buy, the second amount is asked about', () => {
    const asked = deed([user('add 2 trail lanterns and 3 enamel mugs to my cart')], shopTools)
    expect(asked).toContain('I do not know what to do with “3”')
  })
})
