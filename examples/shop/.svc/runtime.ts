import { createShopRuntime } from '../src/shop-runtime.ts'
import { openStore } from '../src/store/open-store.ts'

// Loaded by `svc deploy` to read names and schemas: the store opens no file until a capability runs.
export default createShopRuntime(openStore({ databaseFile: process.env.SHOP_DATABASE ?? '.svc-data/shop.sqlite' }))
