package io.bakeoff.orders;

import io.bakeoff.orders.Messages.Summary;
import jakarta.transaction.Transactional;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.NotFoundException;
import jakarta.ws.rs.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jboss.resteasy.reactive.RestPath;

@Path("/customers/{id}/summary")
public class CustomerResource {
    @GET
    @Transactional
    public Summary summarise(@RestPath long id) {
        Customer customer = Customer.<Customer>findByIdOptional(id).orElseThrow(NotFoundException::new);
        Map<String, Long> byStatus = new LinkedHashMap<>();
        for (String status : Messages.STATUS.split("\\|")) {
            byStatus.put(status, 0L);
        }
        long orderCount = 0;
        long totalCents = 0;
        for (Order.StatusTotals totals : Order.totalsByStatus(id)) {
            byStatus.put(totals.status(), totals.orderCount());
            orderCount += totals.orderCount();
            totalCents += totals.totalCents();
        }
        return new Summary(id, customer.name, orderCount, totalCents, byStatus);
    }
}
