package io.bakeoff.events.writing;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class IntakeTest {
    private static final int STEP = 64 << 10;

    @Test
    void requestsShareTheBudgetAndReturnTheirPart() {
        Intake intake = new Intake(3 * STEP);
        Intake.Charge first = intake.charge();
        Intake.Charge second = intake.charge();
        assertThat(first.add(2 * STEP)).isTrue();
        assertThat(second.add(2 * STEP)).isFalse();
        first.release();
        assertThat(second.add(STEP)).isTrue();
        second.release();
        second.release();
        assertThat(intake.left()).isEqualTo(3 * STEP);
    }

    @Test
    void smallRequestsAreFreeWhileTheBudgetIsExhausted() {
        Intake intake = new Intake(STEP);
        assertThat(intake.charge().add(STEP)).isTrue();
        assertThat(intake.charge().add(Intake.FREE_BYTES / 2)).isTrue();
        assertThat(intake.charge().add(Intake.FREE_BYTES)).isFalse();
    }

    @Test
    void manyPiecesCostMoreThanTheirBytes() {
        Intake.Charge charge = new Intake(0).charge();
        for (int piece = 0; piece < 63; piece++) {
            assertThat(charge.add(1)).isTrue();
        }
        assertThat(charge.add(1)).isFalse();
    }
}
