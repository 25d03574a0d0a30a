diesel::table! {
    customers (id) {
        id -> Int8,
        name -> Text,
        email -> Text,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    orders (id) {
        id -> Int8,
        customer_id -> Int8,
        status -> Text,
        total_cents -> Int8,
        version -> Int4,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    order_lines (id) {
        id -> Int8,
        order_id -> Int8,
        position -> Int4,
        sku -> Text,
        quantity -> Int4,
        unit_price_cents -> Int4,
    }
}
