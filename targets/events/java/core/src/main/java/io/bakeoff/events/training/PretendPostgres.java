package io.bakeoff.events.training;

import io.bakeoff.events.settings.DatabaseUrl;
import io.r2dbc.postgresql.client.SSLMode;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.locks.LockSupport;

/**
 * Speaks as much of PostgreSQL's protocol as the driver needs to believe that everything is stored. For training only:
 * so the driver is trained, too, without a database.
 */
final class PretendPostgres implements AutoCloseable {
    /** About the time that a commit takes, so that batches have about the size that they have in earnest. */
    private static final long COMMIT_NANOS = 1_000_000;

    private final ServerSocket listener;

    /** Listens on a free port of the loopback interface. */
    PretendPostgres() throws IOException {
        listener = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    DatabaseUrl url() {
        String host = listener.getInetAddress().getHostAddress();
        return new DatabaseUrl(host, listener.getLocalPort(), "training", "", "training", SSLMode.PREFER);
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = listener.accept();
            start(() -> {
                try (client) {
                    new Session(client).serve();
                }
            });
        }
    }

    private interface Work {
        void run() throws IOException;
    }

    private static void start(Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (EOFException | SocketException ended) {
                        // The application closes its connections when it ends, and this server.
                    } catch (IOException failure) {
                        throw new UncheckedIOException(failure);
                    }
                },
                "pretend-postgres");
        thread.setDaemon(true);
        thread.start();
    }

    /** One connection. */
    private static final class Session {
        private static final byte[] IDLE = {'I'};
        private static final byte[] NOTHING = {};

        private final DataInputStream in;
        private final DataOutputStream out;

        Session(Socket client) throws IOException {
            client.setTcpNoDelay(true);
            in = new DataInputStream(new BufferedInputStream(client.getInputStream(), 1 << 16));
            out = new DataOutputStream(new BufferedOutputStream(client.getOutputStream()));
        }

        void serve() throws IOException {
            in.skipNBytes(in.readInt() - Integer.BYTES); // asks for TLS
            out.writeByte('N');
            out.flush();
            in.skipNBytes(in.readInt() - Integer.BYTES);
            send('R', new byte[Integer.BYTES]); // authenticated
            send('S', text("server_version\00018.0\000"));
            ready();
            while (true) {
                int type = in.readByte();
                in.skipNBytes(in.readInt() - Integer.BYTES);
                answer(type);
            }
        }

        private void answer(int type) throws IOException {
            switch (type) {
                case 'P' -> send('1', NOTHING); // parsed
                case 'B' -> send('2', NOTHING); // bound
                case 'D' -> send('n', NOTHING); // returns no rows
                case 'C' -> send('3', NOTHING); // closed
                case 'E' -> send('C', text("INSERT 0 1\000"));
                case 'S' -> ready();
                case 'Q' -> {
                    send('C', text("CREATE TABLE\000"));
                    ready();
                }
                case 'X' -> throw new EOFException("the client has left");
                default -> throw new IOException("no answer to a message of type " + (char) type);
            }
        }

        private void ready() throws IOException {
            LockSupport.parkNanos(COMMIT_NANOS);
            send('Z', IDLE);
            out.flush();
        }

        private void send(char type, byte[] body) throws IOException {
            out.writeByte(type);
            out.writeInt(Integer.BYTES + body.length);
            out.write(body);
        }

        private static byte[] text(String text) {
            return text.getBytes(StandardCharsets.US_ASCII);
        }
    }
}
