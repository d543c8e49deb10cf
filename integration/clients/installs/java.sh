#!/usr/bin/env bash
# Installs the generated code and the example of Java into a local repository, and uses them in a project.
set -euo pipefail
mvn --quiet --batch-mode -f "$CLONE/clients/java/pom.xml" -Dtoolresult.build="$PWD/build" -Dmaven.test.skip=true install

# Project: Maven
mkdir -p project/src/main/java
cd project
cat >pom.xml <<'EOF'
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>com.example</groupId>
  <artifactId>project</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.source>17</maven.compiler.source>
    <maven.compiler.target>17</maven.compiler.target>
  </properties>
  <dependencies>
    <dependency>
      <groupId>io.github.toolresult</groupId>
      <artifactId>toolresult-client</artifactId>
      <version>0.1.0</version>
    </dependency>
  </dependencies>
</project>
EOF
cat >src/main/java/Main.java <<'EOF'
import io.github.toolresult.example.Projector;
import io.github.toolresult.example.Sidecar;

public class Main {
  public static void main(String[] args) throws Exception {
    try (Sidecar sidecar = Sidecar.builder().connect()) {
      System.out.println(new Projector(sidecar).projectText("echo", "hello\n").getReceipt().getText());
    }
  }
}
EOF
mvn --quiet --batch-mode compile org.codehaus.mojo:exec-maven-plugin:3.5.0:java -Dexec.mainClass=Main
