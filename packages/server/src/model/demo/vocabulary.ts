import { splitName, stem } from './words.ts'

/** What somebody wants done, and what a tool does. */
export type Action = (typeof ACTIONS)[number]

const WRITING_ACTIONS = ['add', 'buy', 'create', 'book', 'cancel', 'remove', 'update', 'send'] as const

const ACTIONS = ['search', 'list', 'get', 'status', 'price', ...WRITING_ACTIONS] as const

const ACTION_WORDS: Readonly<Record<Action, string>> = {
  search: 'search find browse discover recommend suggest filter lookup query sell carry seek looking got compare',
  list: 'list show see all overview index display which view every everything browse',
  get: 'get show view read fetch describe detail details info information about tell explain see open display more',
  status: 'status track check progress arrive arrived where state',
  price: 'price cost quote estimate calculate rate fee charge pricey expensive',
  add: 'add put append include insert throw attach',
  buy: 'buy place purchase checkout order pay',
  create: 'create new file raise report register make open submit post write log start record remind remember',
  book: 'book reserve schedule arrange',
  cancel: 'cancel abort revoke void',
  remove: 'remove delete clear empty discard erase',
  update:
    'update change edit modify set move reschedule rename assign reassign close reopen resolve mark transfer switch complete finish approve reject accept confirm pause resume enable disable upgrade downgrade renew archive restore',
  send: 'send email notify message reply comment forward invite',
}

/** Actions that change something: never taken on a hint, only on a word for them. */
export const WRITES: ReadonlySet<Action> = new Set<Action>(WRITING_ACTIONS)

export const ACTIONS_BY_STEM: ReadonlyMap<string, readonly Action[]> = actionsByStem()

/** How far a wish for one action is met by a tool for another. The same action is 1, what is not listed 0. */
const NEAR: Readonly<Record<string, number>> = {
  'search list': 0.6,
  'list search': 0.5,
  'list get': 0.6,
  'get list': 0.4,
  'get search': 0.3,
  'search get': 0.3,
  'price get': 0.6,
  'get price': 0.3,
  'status get': 0.5,
  'get status': 0.3,
  'create book': 0.8,
  'book create': 0.8,
  'create add': 0.5,
  'add create': 0.6,
  'add send': 0.4,
  'add buy': 0.2,
  'buy add': 0.6,
  'cancel remove': 0.7,
  'remove cancel': 0.6,
  'cancel update': 0.3,
  'send add': 0.5,
  'send create': 0.4,
}

/** From 0 to 1: how well `offered` serves somebody who wants `wanted`. */
export function affinity(wanted: Action, offered: Action): number {
  return wanted === offered ? 1 : (NEAR[`${wanted} ${offered}`] ?? 0)
}

const SYNONYM_GROUPS = [
  'cart basket bag trolley',
  'shipping shipment delivery postage freight',
  'product item article goods gear equipment supplies',
  'shop store',
  'order purchase',
  'category kind type sort section department',
  'price cost charge fee rate',
  'hour opening open closing close',
  'address location located directions',
  'contact phone telephone email call reach',
  'return refund',
  'appointment visit booking reservation consultation checkup',
  'doctor physician practitioner gp dr specialist',
  'ticket issue bug problem defect incident',
  'person people user member staff colleague teammate',
  'status state progress',
  'message note comment remark',
  'invoice bill receipt',
  'available availability free vacant stock',
  'car vehicle',
  'movie film',
  'photo picture image',
  'task todo job',
  'weather forecast temperature',
  'account profile',
  'history past previous before earlier',
  'parcel package',
  'urgent critical',
  'slot opening',
  'payment card cash credit paypal',
]

/** The stems that mean about the same as this one, itself not among them. */
export const SYNONYMS: ReadonlyMap<string, readonly string[]> = synonymsByStem()

// Words that say nothing about what is wanted. Contractions stand as the tokenizer leaves them.
const FILLER =
  "a an the this that these those my your our their his her its some any i i'm i'd i'll i've me we us you he she it they " +
  "them is are am was were be been being do does did don't doesn't have has had having can could would will shall should " +
  'may might must of in on at to for from with by as into onto about over under and or but not no so if then than too very ' +
  "just only also really please pls thanks thank hi hello hey okay ok yes yeah sure well now here there today what what's " +
  "which who whom whose where where's when why how how's like want wants wanted need needs let let's lets help try go " +
  'going gonna wanna give tell know think something anything nothing everything thing things stuff one ones lot lots more ' +
  'most much many few bit good nice best better great cheap cheaper cheapest affordable expensive popular currently right ' +
  'away still ever yet maybe perhaps kindly look looking after soon possible available such other another both each all kind ' +
  "sort it's that's there's up out off us u im id ill ahead out again back per else got new hello there're been any anyone " +
  'someone take takes happen happens happened does between last month week year day days yesterday recently lately ago people persons made never mind actually instead tomorrow tonight'
export const FILLER_WORDS: ReadonlySet<string> = new Set(FILLER.split(' '))

export const GREETINGS: ReadonlySet<string> = new Set(
  'a for your help hi hello hey hiya howdy greetings good morning afternoon evening day thanks thank you cheers much many lot bye goodbye there so very ok okay great nice cool'.split(
    ' ',
  ),
)

const NUMBERS =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty'
const ROUND_NUMBERS: readonly (readonly [string, number])[] = [
  ['couple', 2],
  ['both', 2],
  ['dozen', 12],
  ['thirty', 30],
  ['forty', 40],
  ['fifty', 50],
  ['sixty', 60],
  ['seventy', 70],
  ['eighty', 80],
  ['ninety', 90],
  ['hundred', 100],
  ['thousand', 1000],
]
export const NUMBER_WORDS: ReadonlyMap<string, number> = new Map([
  ...NUMBERS.split(' ').map((word, value) => [word, value] as const),
  ...ROUND_NUMBERS,
])

function actionsByStem(): Map<string, Action[]> {
  const actions = new Map<string, Action[]>()
  for (const action of ACTIONS) {
    for (const word of ACTION_WORDS[action].split(' ')) {
      const key = stem(word)
      actions.set(key, [...(actions.get(key) ?? []), action])
    }
  }
  return actions
}

function synonymsByStem(): Map<string, string[]> {
  const synonyms = new Map<string, string[]>()
  for (const group of SYNONYM_GROUPS) {
    const stems = splitName(group).map(stem)
    for (const word of stems) {
      const others = stems.filter((other) => other !== word)
      synonyms.set(word, [...(synonyms.get(word) ?? []), ...others])
    }
  }
  return synonyms
}
