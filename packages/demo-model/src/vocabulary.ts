import { stem } from './words.ts'

const WRITING = ['add', 'buy', 'create', 'book', 'cancel', 'remove', 'update', 'send'] as const

/** The actions that a question asks for and a tool does. */
export type Action = 'search' | 'list' | 'get' | 'status' | 'price' | (typeof WRITING)[number]

/** Actions that change something: taken only where a word asks for them. */
export const WRITES: ReadonlySet<Action> = new Set<Action>(WRITING)

const VERBS: Readonly<Record<Action, string>> = {
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
    'update change edit modify set move reschedule rename assign reassign close reopen resolve mark transfer switch ' +
    'complete finish approve reject accept confirm pause resume enable disable upgrade downgrade renew archive restore',
  send: 'send email notify message reply comment forward invite',
}

const PHRASES: Readonly<Partial<Record<Action, string>>> = {
  search:
    "i want|i need|i'd like|i would like|do you have|do you sell|do you carry|do you stock|have you got|got any|is there|" +
    'are there|looking for|look for|in search of|anything for|something for',
  list: "how many|what are|what have|what did|what's in|which|what kind|what kinds|what sorts|what types|are there",
  get: "how many|tell me about|tell me more|more about|what is|what's|what was|look up",
  price: 'how much|how expensive|what does|price of',
  status: "where is|where's|where are|what happened to|when will",
  add: "i'll take|i will take|put in",
  buy: 'check out',
}

const SYNONYMS_OF =
  'cart basket bag trolley|shipping shipment delivery postage freight|product item article goods gear equipment supplies|' +
  'shop store|order purchase|category kind type sort section department|price cost charge fee rate|' +
  'hour opening open closing close|address location located directions|contact phone telephone email call reach|' +
  'return refund|appointment visit booking reservation checkup|doctor physician practitioner gp dr specialist|' +
  'ticket issue bug problem defect incident|user member staff colleague teammate|status state progress|' +
  'message note comment remark|invoice bill receipt|available availability free vacant stock|task todo job|' +
  'weather forecast temperature|history past previous before earlier|parcel package|urgent critical|' +
  'payment card cash credit paypal'

// Words that say nothing about what is wanted. Contractions stand as `wordsOf` leaves them.
const FILLER =
  "a an the this that these those my your our their his her its some any i i'm i'd i'll i've me we us you he she it they " +
  "them is are am was were be been being do does did don't doesn't have has had having can could would will shall should " +
  'may might must of in on at to for from with by as into onto about over under and or but not no so if then than too very ' +
  "just only also really please pls thanks thank hi hello hey okay ok yes yeah sure well now here there today what what's " +
  "which who whom whose where where's when why how how's like want wants wanted need needs let let's lets help try go " +
  'going gonna wanna give tell know think something anything nothing everything thing things stuff one ones lot lots more ' +
  'most much many few bit good nice best better great cheap cheaper cheapest affordable expensive popular currently right ' +
  'away still ever yet maybe perhaps kindly look looking after soon possible available such other another both each all kind ' +
  "sort it's that's there's up out off u im id ill ahead again back per else got new anyone someone take takes happen " +
  'happens happened between last month week year day days yesterday recently lately ago people persons made never mind ' +
  'actually instead tomorrow tonight less lower below max maximum least budget within beneath above minimum min tops roughly ' +
  'around top next $ € £ # eur euro euros usd dollar dollars gbp pound pounds chf franc francs bucks cent cents pence good morning afternoon evening cheers bye goodbye hiya howdy cool'
export const FILLER_WORDS: ReadonlySet<string> = new Set(FILLER.split(' '))
export const FILLER_STEMS: ReadonlySet<string> = new Set([...FILLER_WORDS].map(stem))

const NEAR_OF = 'search list get|get price status|create book add send|buy add|cancel remove'
const NEAR = NEAR_OF.split('|').map((group) => group.split(' '))

/** From 0 to 1: how well a tool that does `offered` serves a wish for `wanted`. */
export function affinity(wanted: Action, offered: Action): number {
  if (wanted === offered) return 1
  if (!NEAR.some((actions) => actions.includes(wanted) && actions.includes(offered))) return 0
  return WRITES.has(wanted) ? 0.5 : 0.4
}

export const ACTIONS_BY_STEM: ReadonlyMap<string, readonly Action[]> = actionsBy(VERBS, ' ', stem)
export const ACTIONS_BY_PHRASE: ReadonlyMap<string, readonly Action[]> = actionsBy(PHRASES, '|', (phrase) => phrase)

function actionsBy(table: object, separator: string, keyOf: (text: string) => string): Map<string, Action[]> {
  const actions = new Map<string, Action[]>()
  for (const [action, texts] of Object.entries(table) as [Action, string][]) {
    for (const key of texts.split(separator).map(keyOf)) actions.set(key, [...(actions.get(key) ?? []), action])
  }
  return actions
}

const SYNONYMS = SYNONYMS_OF.split('|').map((group) => group.split(' ').map(stem))
const GROUPS = new Map(SYNONYMS.flatMap((group) => group.map((word) => [word, group] as const)))

/** The stems that mean about the same as a stem, itself among them. */
export const sameAs = (stem: string): readonly string[] => GROUPS.get(stem) ?? [stem]
