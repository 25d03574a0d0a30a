package io.bakeoff.orders;

import io.bakeoff.orders.Messages.NewOrder;
import io.bakeoff.orders.Messages.OrderReply;
import io.bakeoff.orders.Messages.OrderWithLines;
import io.bakeoff.orders.Messages.Page;
import io.bakeoff.orders.Messages.StatusChange;
import jakarta.persistence.LockModeType;
import jakarta.transaction.Transactional;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.ws.rs.BadRequestException;
import jakarta.ws.rs.ClientErrorException;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.NotFoundException;
import jakarta.ws.rs.PATCH;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.Response.Status;
import java.net.URI;
import java.util.List;
import org.hibernate.exception.ConstraintViolationException;
import org.jboss.resteasy.reactive.RestPath;
import org.jboss.resteasy.reactive.RestQuery;
import org.jboss.resteasy.reactive.RestResponse;

@Path("/orders")
public class OrderResource {
    @POST
    @Transactional
    public RestResponse<OrderWithLines> create(@NotNull @Valid NewOrder wanted) {
        Order order = new Order();
        order.customer = Customer.getEntityManager().getReference(Customer.class, wanted.customerId());
        wanted.lines().forEach(line -> order.add(line.sku(), line.quantity(), line.unitPriceCents()));
        try {
            order.persistAndFlush();
        } catch (ConstraintViolationException unknown) {
            throw new BadRequestException("customerId: no such customer", unknown);
        }
        return RestResponse.ResponseBuilder.<OrderWithLines>created(URI.create("/orders/" + order.id))
                .entity(OrderWithLines.of(order))
                .build();
    }

    @GET
    @Path("/{id}")
    @Transactional
    public OrderWithLines get(@RestPath long id) {
        return Order.findWithLines(id).map(OrderWithLines::of).orElseThrow(NotFoundException::new);
    }

    @PATCH
    @Path("/{id}")
    @Transactional
    public OrderReply update(@RestPath long id, @NotNull @Valid StatusChange wanted) {
        Order order = Order.<Order>findByIdOptional(id).orElseThrow(NotFoundException::new);
        if (order.version != wanted.version()) {
            throw new ClientErrorException("the order has another version", Status.CONFLICT);
        }
        if (order.status.equals(wanted.status())) {
            // Nothing has changed that Hibernate would write.
            Order.getEntityManager().lock(order, LockModeType.PESSIMISTIC_FORCE_INCREMENT);
        } else {
            order.status = wanted.status();
            Order.flush();
        }
        return OrderReply.of(order);
    }

    /** The database deletes the lines with their order. */
    @DELETE
    @Path("/{id}")
    @Transactional
    public void delete(@RestPath long id) {
        if (Order.delete("id", id) == 0) {
            throw new NotFoundException();
        }
    }

    @GET
    @Transactional
    public Page list(
            @RestQuery @NotNull WholeNumber customer,
            @RestQuery @Pattern(regexp = Messages.STATUS) String status,
            @RestQuery WholeNumber after,
            @RestQuery @DefaultValue("20") WholeNumber limit) {
        if (limit.value() < 1 || limit.value() > Messages.MAX_LIMIT) {
            throw new BadRequestException("limit: must be 1 to " + Messages.MAX_LIMIT);
        }
        List<OrderReply> items =
                Order.page(customer.value(), status, after == null ? null : after.value(), (int) limit.value()).stream()
                        .map(OrderReply::of)
                        .toList();
        return new Page(items, items.size() == limit.value() ? items.getLast().id() : null);
    }
}
