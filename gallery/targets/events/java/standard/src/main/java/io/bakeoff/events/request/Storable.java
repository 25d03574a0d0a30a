package io.bakeoff.events.request;

import jakarta.validation.Constraint;
import jakarta.validation.Payload;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A text or JSON object that PostgreSQL's {@code jsonb} can store, within the limits of the contract. */
@Target({ElementType.FIELD, ElementType.METHOD, ElementType.PARAMETER, ElementType.RECORD_COMPONENT})
@Retention(RetentionPolicy.RUNTIME)
@Constraint(validatedBy = {StorableTextValidator.class, StorableAttributesValidator.class})
public @interface Storable {
    String message() default "cannot be stored";

    Class<?>[] groups() default {};

    Class<? extends Payload>[] payload() default {};
}
