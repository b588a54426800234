import type Database from 'better-sqlite3'

/** Creates every table. The CHECKs hold whatever the code above them gets wrong. */
export function createTables(database: Database.Database): void {
  database.exec(CATALOGUE_TABLES)
  database.exec(CUSTOMER_TABLES)
  database.exec(ORDER_TABLES)
}

const CATALOGUE_TABLES = `
  CREATE TABLE products (
    id INTEGER PRIMARY KEY,
    sku TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL UNIQUE COLLATE NOCASE,
    category TEXT NOT NULL,
    description TEXT NOT NULL,
    price_cents INTEGER NOT NULL CHECK (price_cents > 0),
    stock INTEGER NOT NULL CHECK (stock >= 0)
  );
  CREATE VIRTUAL TABLE product_words USING fts5 (name, category, tags, description, tokenize = 'porter unicode61');
`

const CUSTOMER_TABLES = `
  CREATE TABLE customers (
    id INTEGER PRIMARY KEY,
    email TEXT NOT NULL UNIQUE COLLATE NOCASE,
    name TEXT NOT NULL,
    country TEXT NOT NULL,
    password_hash TEXT NOT NULL
  );
  CREATE TABLE sessions (
    token_hash TEXT PRIMARY KEY,
    customer_id INTEGER NOT NULL REFERENCES customers (id),
    expires_at INTEGER NOT NULL
  );
  CREATE TABLE cart_items (
    customer_id INTEGER NOT NULL REFERENCES customers (id),
    product_id INTEGER NOT NULL REFERENCES products (id),
    quantity INTEGER NOT NULL CHECK (quantity > 0),
    PRIMARY KEY (customer_id, product_id)
  );
`

const ORDER_TABLES = `
  CREATE TABLE orders (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    customer_id INTEGER NOT NULL REFERENCES customers (id),
    request_id TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('placed', 'shipped', 'delivered')),
    shipping_cents INTEGER NOT NULL CHECK (shipping_cents >= 0),
    tracking_code TEXT,
    placed_at INTEGER NOT NULL,
    payment_code TEXT UNIQUE,
    paid_at INTEGER,
    UNIQUE (customer_id, request_id)
  );
  CREATE TABLE order_lines (
    order_number INTEGER NOT NULL REFERENCES orders (number),
    product_id INTEGER NOT NULL REFERENCES products (id),
    quantity INTEGER NOT NULL CHECK (quantity > 0),
    unit_price_cents INTEGER NOT NULL CHECK (unit_price_cents > 0),
    PRIMARY KEY (order_number, product_id)
  );
`
