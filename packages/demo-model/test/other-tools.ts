import type { Tool } from '@svc/demo-model'

const text = (description: string, rest: object = {}) => ({ type: 'string', description, ...rest })
const object = (properties: object, required: readonly string[] = []) => ({ type: 'object', properties, required })

/** The capabilities of a clinic, whose words have nothing in common with a shop’s. */
export const clinicTools: Tool[] = [
  {
    name: 'find_doctors',
    description: 'Find doctors of the clinic by specialty or language.',
    inputSchema: object({
      specialty: { type: 'string', enum: ['dermatology', 'cardiology', 'pediatrics', 'general_practice'] },
      language: text('A language that the doctor speaks.'),
    }),
  },
  {
    name: 'list_free_slots',
    description: 'List the free appointment slots of a doctor on a day.',
    inputSchema: object({ doctor: text('Name of the doctor.'), date: text('The day.', { format: 'date' }) }, ['date']),
  },
  {
    name: 'book_appointment',
    description: 'Book an appointment with a doctor.',
    inputSchema: object(
      {
        doctor: text('Name of the doctor.'),
        date: text('The day.', { format: 'date' }),
        time: text('Time of day, such as 15:30.'),
        reason: text('Why the patient comes.'),
      },
      ['doctor', 'date', 'time'],
    ),
  },
  {
    name: 'cancel_appointment',
    description: 'Cancel an appointment.',
    inputSchema: object({ appointmentId: text('Such as APT-77.', { pattern: '^APT-\\d+$' }) }, ['appointmentId']),
  },
  { name: 'my_appointments', description: 'List my upcoming appointments.', inputSchema: null },
  {
    name: 'opening_hours',
    description: 'When the clinic is open, its address and its emergency phone number.',
    inputSchema: object({}),
  },
]

/** The capabilities of a tracker of work. */
export const trackerTools: Tool[] = [
  {
    name: 'searchTickets',
    description: 'Search tickets by words, state and priority.',
    inputSchema: object({
      text: text('Words in the title.'),
      state: { type: 'string', enum: ['open', 'in_progress', 'closed'] },
      priority: { type: ['string', 'null'], enum: ['low', 'medium', 'high', null] },
      limit: { type: 'integer', minimum: 1, maximum: 50 },
    }),
  },
  {
    name: 'getTicket',
    description: 'Show one ticket with its history.',
    inputSchema: object({ ticketId: { $ref: '#/$defs/id' } }, ['ticketId']),
  },
  {
    name: 'createTicket',
    description: 'Create a ticket.',
    inputSchema: object({ title: text('One line.'), priority: { type: 'string', enum: ['low', 'medium', 'high'] } }, [
      'title',
    ]),
  },
  {
    name: 'assignTicket',
    description: 'Assign a ticket to a person.',
    inputSchema: object({ ticketId: { type: 'integer' }, assignee: text('Name of the person.') }, [
      'ticketId',
      'assignee',
    ]),
  },
  {
    name: 'closeTicket',
    description: 'Close a ticket.',
    inputSchema: object({ ticketId: { type: 'integer' } }, ['ticketId']),
  },
  {
    name: 'addComment',
    description: 'Add a comment to a ticket.',
    inputSchema: object({ ticketId: { type: 'integer' }, comment: text('The comment.') }, ['ticketId', 'comment']),
  },
]

const defs = { $defs: { id: { type: 'integer', minimum: 1 } } }
for (const tool of trackerTools) if (tool.inputSchema !== null) Object.assign(tool.inputSchema, defs)

const integer = (minimum = 1) => ({ type: 'integer', minimum })

/** Capabilities that take numbers of people, and money. */
export const restaurantTools: Tool[] = [
  {
    name: 'book-table',
    description: 'Book a table at the restaurant.',
    inputSchema: object({ people: integer() }, ['people']),
  },
  {
    name: 'book-trip',
    description: 'Book a boat trip.',
    inputSchema: object({ adults: integer(), children: integer(0) }, ['adults']),
  },
  {
    name: 'transfer-money',
    description: 'Transfer money to a person.',
    inputSchema: object({ recipient: text('Name of the person.'), amount: { type: 'number' } }, [
      'recipient',
      'amount',
    ]),
  },
]
