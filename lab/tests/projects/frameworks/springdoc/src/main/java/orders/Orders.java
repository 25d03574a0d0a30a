package orders;

import io.swagger.v3.oas.annotations.enums.SecuritySchemeType;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.security.SecurityRequirement;
import io.swagger.v3.oas.annotations.security.SecurityScheme;
import jakarta.validation.Valid;
import jakarta.validation.constraints.DecimalMax;
import jakarta.validation.constraints.DecimalMin;
import jakarta.validation.constraints.Email;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** A small Spring service, which springdoc describes: it keeps customers and their orders. */
@SpringBootApplication
@RestController
@SecurityScheme(name = "bearer", type = SecuritySchemeType.HTTP, scheme = "bearer")
public class Orders {
  private static final String TOKEN = "a-token-of-tests";

  public enum Level {
    BASIC,
    GOLD
  }

  public record Credentials(
      @Schema(example = "ada") @NotBlank String username, @Schema(example = "correct horse") @NotBlank String password) {}

  public record Session(String accessToken) {}

  public record Address(@NotBlank @Size(max = 40) String street, @Pattern(regexp = "\\d{5}") @NotNull String zip) {}

  public record NewCustomer(
      @NotBlank @Size(min = 2, max = 50) String name,
      @NotNull @Email String email,
      @NotNull Level level,
      @NotNull LocalDate born,
      @NotNull @Valid Address address) {}

  public record Customer(long id, String name, String email, Level level, LocalDate born, Address address) {}

  public record Line(@NotBlank String article, @Min(1) @Max(20) int count) {}

  public record NewOrder(
      @NotNull Long customerId,
      @NotEmpty @Size(max = 4) List<@Valid Line> lines,
      @NotNull @DecimalMin("0.01") @DecimalMax("999.99") BigDecimal total,
      @NotNull OffsetDateTime at,
      Map<String, Integer> weights) {}

  public record Order(
      UUID id, long customerId, List<Line> lines, BigDecimal total, OffsetDateTime at, Map<String, Integer> weights) {}

  private final AtomicLong ids = new AtomicLong();
  private final Map<Long, Customer> customers = new ConcurrentHashMap<>();
  private final Map<UUID, Order> orders = new ConcurrentHashMap<>();

  public static void main(String[] arguments) {
    SpringApplication.run(
        Orders.class, "--server.address=127.0.0.1", "--server.port=" + System.getenv("PORT"));
  }

  @GetMapping("/status")
  public Map<String, String> status() {
    return Map.of("status", "UP");
  }

  @PostMapping("/auth/login")
  public Session login(@Valid @RequestBody Credentials given) {
    if (!given.equals(new Credentials("ada", "correct horse"))) {
      throw new ResponseStatusException(HttpStatus.UNAUTHORIZED);
    }
    return new Session(TOKEN);
  }

  @PostMapping("/customers")
  @ResponseStatus(HttpStatus.CREATED)
  @SecurityRequirement(name = "bearer")
  public Customer create(@RequestHeader("Authorization") String authorization, @Valid @RequestBody NewCustomer given) {
    check(authorization);
    return stored(ids.incrementAndGet(), given);
  }

  @GetMapping("/customers/{id}")
  public Customer read(@PathVariable long id) {
    return known(customers, id);
  }

  @PutMapping("/customers/{id}")
  public Customer replace(@PathVariable long id, @Valid @RequestBody NewCustomer given) {
    known(customers, id);
    return stored(id, given);
  }

  @DeleteMapping("/customers/{id}")
  @ResponseStatus(HttpStatus.NO_CONTENT)
  public void remove(@PathVariable long id) {
    known(customers, id);
    customers.remove(id);
  }

  @GetMapping("/customers")
  public List<Customer> find(
      @RequestParam Level level,
      @RequestParam List<Integer> sizes,
      @RequestParam @Min(1) @Max(50) int limit,
      @RequestParam(required = false) String cursor) {
    return customers.values().stream().filter(each -> each.level() == level).limit(limit).toList();
  }

  @PostMapping("/orders")
  @ResponseStatus(HttpStatus.CREATED)
  public Order order(@Valid @RequestBody NewOrder given) {
    known(customers, given.customerId());
    var order =
        new Order(UUID.randomUUID(), given.customerId(), given.lines(), given.total(), given.at(), given.weights());
    orders.put(order.id(), order);
    return order;
  }

  @GetMapping("/orders/{orderId}")
  public Order readOrder(@PathVariable UUID orderId) {
    return known(orders, orderId);
  }

  private Customer stored(long id, NewCustomer given) {
    var customer = new Customer(id, given.name(), given.email(), given.level(), given.born(), given.address());
    customers.put(id, customer);
    return customer;
  }

  private static <K, V> V known(Map<K, V> entities, K id) {
    var found = entities.get(id);
    if (found == null) {
      throw new ResponseStatusException(HttpStatus.NOT_FOUND);
    }
    return found;
  }

  private static void check(String authorization) {
    if (!("Bearer " + TOKEN).equals(authorization)) {
      throw new ResponseStatusException(HttpStatus.UNAUTHORIZED);
    }
  }
}
