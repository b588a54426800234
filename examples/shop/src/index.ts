export { type RunningShop, type ShopConnection, type ShopOptions, startShop } from './server.ts'
export { createShopRuntime } from './shop-runtime.ts'
export { openStore, type Store, type StoreOptions } from './store/open-store.ts'
export { DEMO_CUSTOMERS } from './store/seed.ts'
