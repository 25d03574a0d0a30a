"""Which calls of a proto file are about one entity, and what it lies in."""

from pathlib import Path

from descriptions_of_protos import by_name, imported, sent


def test_what_is_started_is_created_where_the_reply_shows_its_identifier(tmp_path: Path) -> None:
    text = """
        syntax = "proto3";
        package runtime.v1;
        message Config { string name = 1; }
        message RunSandboxRequest { Config config = 1; }
        message RunSandboxResponse { string sandbox_id = 1; }
        message SandboxRequest { string sandbox_id = 1; }
        message StartJobRequest { string job_id = 1; }
        message Operation { string name = 1; }
        message Empty {}
        service Runtime {
          rpc StopSandbox(SandboxRequest) returns (Empty);
          rpc RunSandbox(RunSandboxRequest) returns (RunSandboxResponse);
          rpc StartJob(StartJobRequest) returns (StartJobRequest);
          rpc RunTask(RunSandboxRequest) returns (Operation);
        }
    """
    operations = by_name(imported(tmp_path, text, "runtime.proto"))

    assert operations["RunSandbox"].call["capture"] == {"id": "/sandboxId"}
    assert (operations["StopSandbox"].needs, sent(operations["StopSandbox"])) == ("sandbox", {"sandboxId": "1"})
    assert {each.creates for each in operations.values()} == {None, "sandbox"}


def test_a_request_that_names_several_entities_has_all_of_them_created(tmp_path: Path) -> None:
    text = """
        syntax = "proto3";
        message User { string id = 1; }
        message Product { string id = 1; }
        message Order { string id = 1; }
        message CreateUserRequest { string mood = 1; }
        message CreateProductRequest { string colour = 1; }
        message CreateOrderRequest { string user_id = 1; string product_id = 2; }
        message OfOrder { string order_id = 1; string product_id = 2; }
        message OfUser { string user_id = 1; }
        message OfProduct { string product_id = 1; }
        service Shop {
          rpc CreateOrder(CreateOrderRequest) returns (Order);
          rpc GetOrder(OfOrder) returns (Order);
          rpc CreateUser(CreateUserRequest) returns (User);
          rpc DeleteUser(OfUser) returns (User);
          rpc CreateProduct(CreateProductRequest) returns (Product);
          rpc DeleteProduct(OfProduct) returns (Product);
        }
    """
    found = by_name(imported(tmp_path, text, "shop.proto"))

    product, order = found["CreateProduct for user"], found["CreateOrder"]
    assert product.call["capture"] == {"second": "/id", "id": "sent:${captured.id}"}
    assert (product.needs, product.weight, order.needs) == ("user", 0, product.creates)
    assert order.message == '{"userId":"${captured.id}","productId":"${captured.second}"}'
    # What a read names too is kept.
    assert order.call["capture"] == {"id": "/id", "product_id": "sent:${captured.second}"}
    assert found["GetOrder"].message == '{"orderId":"${captured.id}","productId":"${captured.product_id}"}'
    assert (found["DeleteUser"].weight, found["DeleteProduct"].weight) == (0, 1)


def test_an_entity_that_needs_others_is_created_with_them(tmp_path: Path) -> None:
    text = """
        syntax = "proto3";
        message Supplier { string id = 1; }
        message Product { string id = 1; }
        message Order { string id = 1; }
        message Shipment { string id = 1; }
        message CreateSupplierRequest { string mood = 1; }
        message CreateProductRequest { string supplier_id = 1; }
        message CreateOrderRequest { string product_id = 1; }
        message CreateShipmentRequest { string supplier_id = 1; string order_id = 2; }
        message OfSupplier { string supplier_id = 1; }
        message OfProduct { string product_id = 1; }
        message OfOrder { string order_id = 1; }
        service Shop {
          rpc CreateSupplier(CreateSupplierRequest) returns (Supplier);
          rpc GetSupplier(OfSupplier) returns (Supplier);
          rpc CreateProduct(CreateProductRequest) returns (Product);
          rpc GetProduct(OfProduct) returns (Product);
          rpc CreateOrder(CreateOrderRequest) returns (Order);
          rpc GetOrder(OfOrder) returns (Order);
          rpc CreateShipment(CreateShipmentRequest) returns (Shipment);
        }
    """
    found = by_name(imported(tmp_path, text, "shop.proto"))

    product, order = found["CreateProduct for supplier"], found["CreateOrder for supplier with product"]
    assert (product.message, product.call["capture"]) == (
        '{"supplierId":"${captured.id}"}',
        {"second": "/id", "id": "sent:${captured.id}"},
    )
    assert (order.needs, order.message) == (product.creates, '{"productId":"${captured.second}"}')
    shipment = found["CreateShipment"]
    assert shipment.needs == order.creates
    assert shipment.message == '{"supplierId":"${captured.id}","orderId":"${captured.third}"}'


def test_what_lies_within_another_keeps_the_identifier_of_that_one(tmp_path: Path) -> None:
    api = imported(
        tmp_path,
        """
        syntax = "proto3";
        message Shelf { string id = 1; }
        message Book { string id = 1; string title = 2; }
        message CreateShelfRequest { string theme = 1; }
        message CreateBookRequest { string shelf_id = 1; string title = 2; }
        message OfBook { string shelf_id = 1; string book_id = 2; }
        message UpdateBookRequest { string shelf_id = 1; string book_id = 2; string title = 3; }
        service Library {
          rpc CreateShelf(CreateShelfRequest) returns (Shelf);
          rpc CreateBook(CreateBookRequest) returns (Book);
          rpc GetBook(OfBook) returns (Book);
          rpc UpdateBook(UpdateBookRequest) returns (Book);
          rpc DeleteBook(OfBook) returns (Book);
        }
        """,
        "library.proto",
    )
    found = by_name(api)

    assert found["CreateBook"].call["capture"] == {"id": "/id", "shelf_id": "sent:${captured.id}"}
    of_book = '{"shelfId":"${captured.shelf_id}","bookId":"${captured.id}"'
    assert found["GetBook"].message == f"{of_book}}}"
    assert str(found["UpdateBook"].message).startswith(f"{of_book},")
    key = ["book", "${captured.id}", "${captured.shelf_id}"]
    assert found["DeleteBook"].effect == {"kind": "delete", "key": key}
    assert api.advice == []


def test_what_lies_deeper_is_created_after_all_that_it_lies_in(tmp_path: Path) -> None:
    api = imported(
        tmp_path,
        """
        syntax = "proto3";
        message Page { string id = 1; }
        message OfLibrary { string library_id = 1; }
        message OfShelf { string library_id = 1; string shelf_id = 2; }
        message OfBook { string library_id = 1; string shelf_id = 2; string book_id = 3; }
        message OfPage { string library_id = 1; string shelf_id = 2; string book_id = 3; string page_id = 4; }
        message Library { string id = 1; }
        message Created { string id = 1; }
        message CreateLibraryRequest { string city = 1; }
        service Libraries {
          rpc DeletePage(OfPage) returns (Created);
          rpc CreatePage(OfBook) returns (Page);
          rpc CountPages(OfBook) returns (Created);
          rpc CreateBook(OfShelf) returns (Created);
          rpc CreateShelf(OfLibrary) returns (Created);
          rpc CreateLibrary(CreateLibraryRequest) returns (Library);
        }
        """,
    )
    found = by_name(api)

    needs = {name: each.needs for name, each in found.items()}
    assert needs == {
        "DeletePage": "page",
        "CreatePage": "book",
        "CountPages": "book",
        "CreateBook": "shelf",
        "CreateShelf": "library",
        "CreateLibrary": None,
    }
    of_book = '{"libraryId":"${captured.library_id}","shelfId":"${captured.shelf_id}","bookId":"${captured.'
    assert found["CreatePage"].message == found["CountPages"].message == f'{of_book}id}}"}}'
    assert found["DeletePage"].message == f'{of_book}book_id}}","pageId":"${{captured.id}}"}}'
    assert found["CreatePage"].call["capture"] == {
        "id": "/id",
        "library_id": "sent:${captured.library_id}",
        "shelf_id": "sent:${captured.shelf_id}",
        "book_id": "sent:${captured.id}",
    }
    assert api.advice == []


def test_what_a_request_names_and_no_reply_shows_is_linked_by_that_name(tmp_path: Path) -> None:
    api = imported(
        tmp_path,
        """
        syntax = "proto3";
        message Status { int32 code = 1; string reason = 2; }
        message CreateBucketRequest { string bucket_name = 1; string region = 2; }
        message OfBucket { string bucket_name = 1; }
        message OfAlias { string bucket_name = 1; string alias = 2; string name = 3; }
        service Buckets {
          rpc CreateBucket(CreateBucketRequest) returns (Status);
          rpc DescribeBucket(OfBucket) returns (Status);
          rpc AddAlias(OfAlias) returns (Status);
          rpc DropAlias(OfAlias) returns (Status);
          rpc DeleteBucket(OfBucket) returns (Status);
        }
        """,
    )
    found = by_name(api)

    name = "bucket-name-${run}-${user}-${sequence}"
    assert found["CreateBucket"].call["capture"] == {"id": f"sent:{name}"}
    assert str(found["CreateBucket"].message).startswith(f'{{"bucketName":"{name}"')
    assert found["DescribeBucket"].message == found["DeleteBucket"].message == '{"bucketName":"${captured.id}"}'
    assert found["AddAlias"].needs == "bucket"
    removed = sent(found["DropAlias"])
    assert (found["DropAlias"].needs, removed["bucketName"], removed["name"]) == ("alias", "1", "1")


def test_a_key_of_the_identifiers_of_others_names_what_exists(tmp_path: Path) -> None:
    api = imported(
        tmp_path,
        """
        syntax = "proto3";
        message User { string user_id = 1; }
        message Line { string user_id = 1; string product_id = 2; int32 quantity = 3; }
        message OfLine { string user_id = 1; string product_id = 2; }
        message CreateUserRequest { string name = 1; }
        service Carts {
          rpc CreateUser(CreateUserRequest) returns (User);
          rpc GetUser(User) returns (User);
          rpc CreateLine(Line) returns (Line);
          rpc DeleteLine(OfLine) returns (Line);
        }
        """,
    )
    found = by_name(api)

    assert (found["CreateLine"].needs, sent(found["CreateLine"])["userId"]) == ("user", "1")
    assert found["DeleteLine"].message == '{"userId":"${captured.id}","productId":"${captured.product_id}"}'
