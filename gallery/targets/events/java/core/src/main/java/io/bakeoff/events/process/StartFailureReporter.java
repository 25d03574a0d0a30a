package io.bakeoff.events.process;

import io.bakeoff.events.settings.SettingException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringBootExceptionReporter;
import org.springframework.context.ConfigurableApplicationContext;

/** Reports in one line why the process does not start, if the user can fix it. */
final class StartFailureReporter implements SpringBootExceptionReporter {
    StartFailureReporter(@Nullable ConfigurableApplicationContext context) {}

    @Override
    public boolean reportException(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SettingException) {
                System.err.println("error: " + cause.getMessage());
                return true;
            }
        }
        return false;
    }
}
