import { withPlainFailures } from '@svc/example-kit'
import { createSqlEffectStore, defineRuntime, type Runtime } from '@svc/sdk'
import { addToCartCapability } from './capabilities/add-to-cart.ts'
import { getProductCapability } from './capabilities/get-product.ts'
import { listCategoriesCapability } from './capabilities/list-categories.ts'
import { listOrdersCapability } from './capabilities/list-orders.ts'
import { orderStatusCapability } from './capabilities/order-status.ts'
import { placeOrderCapability } from './capabilities/place-order.ts'
import { searchProductsCapability } from './capabilities/search-products.ts'
import { shippingQuoteCapability } from './capabilities/shipping-quote.ts'
import { NO_SITE, type ShopSite } from './capabilities/shop-site.ts'
import { storeInfoCapability } from './capabilities/store-info.ts'
import { viewCartCapability } from './capabilities/view-cart.ts'
import type { Store } from './store/open-store.ts'
import { ShopError } from './store/shop-error.ts'

/**
 * Everything an agent may do in this shop. The first five are for anybody, the others for a customer who is signed in.
 * With a site, answers link into the shop’s pages.
 */
export function createShopRuntime(store: Store, site: ShopSite = NO_SITE): Runtime {
  return defineRuntime({
    capabilities: [
      searchProductsCapability(store, site),
      getProductCapability(store, site),
      listCategoriesCapability(store),
      shippingQuoteCapability,
      storeInfoCapability,
      viewCartCapability(store),
      addToCartCapability(store),
      placeOrderCapability(store, site),
      listOrdersCapability(store),
      orderStatusCapability(store, site),
    ].map((capability) => withPlainFailures(capability, ShopError)),
    // The database opens with the first call, not with the runtime.
    effects: createSqlEffectStore({ prepare: (sql) => store.database.prepare(sql) }),
  })
}
