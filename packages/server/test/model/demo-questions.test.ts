import { describe, expect, test } from 'vitest'
import { deed, user } from './demo-support.ts'
import { clinicTools, trackerTools } from './other-tools.ts'
import { shopTools } from './shop-tools.ts'

describe('somebody in a shop is understood', () => {
  test.each([
    ['What kinds of things do you sell?', ['list-categories', {}]],
    ['Which categories do you have?', ['list-categories', {}]],
    ['show me the departments', ['list-categories', {}]],
    ['Do you have any lanterns?', ['search-products', { query: 'lanterns' }]],
    ['wool socks', ['search-products', { query: 'wool socks' }]],
    ['I am looking for a warm blanket', ['search-products', { query: 'warm blanket' }]],
    ['Show me tents under 200 euros', ['search-products', { query: 'tents', maxPrice: 200 }]],
    [
      'I need a jacket for less than $80, in stock please',
      ['search-products', { query: 'jacket', maxPrice: 80, inStock: true }],
    ],
    ['What camping stuff is available?', ['search-products', { category: 'camping', inStock: true }]],
    [
      'can you recommend something for the kitchen up to €35?',
      ['search-products', { category: 'kitchen', maxPrice: 35 }],
    ],
    ['find "cast iron pan"', ['search-products', { query: 'cast iron pan' }]],
    ['got any sleeping bags?', ['search-products', { query: 'sleeping bags' }]],
    ['How much is the Trail Lantern?', ['get-product', { product: 'Trail Lantern' }]],
    ['Tell me more about LGT-201', ['get-product', { product: 'LGT-201' }]],
    ['What does the Enamel Mug cost?', ['get-product', { product: 'Enamel Mug' }]],
    ['details of the product “Down Quilt”', ['get-product', { product: 'Down Quilt' }]],
    ['How much is shipping to Germany?', ['shipping-quote', { country: 'Germany' }]],
    ['Do you deliver to the UK, and what does it cost?', ['shipping-quote', { country: 'UK' }]],
    [
      'What would postage to South Korea be for an order of 120 euros?',
      ['shipping-quote', { country: 'South Korea', total: 120 }],
    ],
    ['When are you open?', ['store-info', {}]],
    ['Where is your store located?', ['store-info', {}]],
    ['What is your return policy?', ['store-info', {}]],
    ['Can I pay by card?', ['store-info', {}]],
    ['What’s in my basket?', ['view-cart', {}]],
    ['show my cart', ['view-cart', {}]],
    ['Please add two Trail Lanterns to my cart', ['add-to-cart', { product: 'Trail Lanterns', quantity: 2 }]],
    ['put 3 of LGT-201 in my basket', ['add-to-cart', { product: 'LGT-201', quantity: 3 }]],
    ['Add the sleeping bag to my cart', ['add-to-cart', { product: 'sleeping bag' }]],
    ['I’d like to order now', ['place-order', {}]],
    ['check out please', ['place-order', {}]],
    ['Buy everything in my cart', ['place-order', {}]],
    ['What have I ordered before?', ['list-orders', {}]],
    ['show me my past purchases', ['list-orders', {}]],
    ['Where is my order ORD-1007?', ['order-status', { orderNumber: 'ORD-1007' }]],
    ['track ord-1007', ['order-status', { orderNumber: 'ord-1007' }]],
    ['When will order number 1007 arrive?', ['order-status', { orderNumber: '1007' }]],
  ])('%s', async (question, expected) => {
    expect(await deed([user(question)], shopTools)).toEqual(expected)
  })
})

describe('somebody at a clinic is understood', () => {
  test.each([
    ['Which dermatology doctors do you have?', ['find_doctors', { specialty: 'dermatology' }]],
    ['I need a physician in general practice', ['find_doctors', { specialty: 'general_practice' }]],
    ['When is Dr. Weber free tomorrow?', ['list_free_slots', { doctor: 'Dr. Weber', date: '2026-03-12' }]],
    ['free slots on 2026-04-02', ['list_free_slots', { date: '2026-04-02' }]],
    [
      'Book an appointment with Dr. Weber next Monday at 3pm',
      ['book_appointment', { doctor: 'Dr. Weber', date: '2026-03-16', time: '15:00' }],
    ],
    [
      'Please reserve a visit with Anna Lund on 2 April at 9:30 because of a rash on my arm',
      ['book_appointment', { doctor: 'Anna Lund', date: '2026-04-02', time: '09:30', reason: 'a rash on my arm' }],
    ],
    ['I have to cancel APT-77', ['cancel_appointment', { appointmentId: 'APT-77' }]],
    ['what appointments do I have?', ['my_appointments', {}]],
    ['What are your opening hours?', ['opening_hours', {}]],
    ['when do you close?', ['opening_hours', {}]],
  ])('%s', async (question, expected) => {
    expect(await deed([user(question)], clinicTools)).toEqual(expected)
  })
})

describe('somebody at a tracker is understood', () => {
  test.each([
    ['search for login tickets', ['searchTickets', { text: 'login' }]],
    ['Show me all open tickets with high priority', ['searchTickets', { state: 'open', priority: 'high' }]],
    ['which bugs are in progress?', ['searchTickets', { state: 'in_progress' }]],
    ['top 5 closed issues', ['searchTickets', { state: 'closed', limit: 5 }]],
    ['show ticket 42', ['getTicket', { ticketId: 42 }]],
    ['What is the history of #17?', ['getTicket', { ticketId: 17 }]],
    [
      'create a ticket "Login page is blank" with high priority',
      ['createTicket', { title: 'Login page is blank', priority: 'high' }],
    ],
    ['Open a new issue: export fails on Safari', ['createTicket', { title: 'export fails on Safari' }]],
    ['assign ticket 42 to Maria Lopez', ['assignTicket', { ticketId: 42, assignee: 'Maria Lopez' }]],
    ['please close #42', ['closeTicket', { ticketId: 42 }]],
    ['comment "fixed in 2.1" on ticket 9', ['addComment', { ticketId: 9, comment: 'fixed in 2.1' }]],
  ])('%s', async (question, expected) => {
    expect(await deed([user(question)], trackerTools)).toEqual(expected)
  })
})
